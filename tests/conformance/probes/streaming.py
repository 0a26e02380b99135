"""Profile `streaming`: order, not time. A side sends piece k+1 only after the other has received piece k."""

from __future__ import annotations

import hashlib
import time

from tests.conformance.harness.bench import Bench, Stream
from tests.conformance.harness.client import AGENT_LINES, BODY
from tests.conformance.harness.findings import FindingError, equal, true
from tests.conformance.harness.messages import OK, STREAM_HEAD, Message, chunk, response, without
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Payload
from tests.conformance.probes.fidelity_codings import EVENTS

SECTION = Section("streaming")
probe = SECTION.probe

JSON_HEAD = Message(b"HTTP/1.1 200 OK", (b"Content-Type: application/json", b"Transfer-Encoding: chunked"))
SIZED_HEAD = Message(b"HTTP/1.1 200 OK", (b"Content-Type: text/plain", b"Content-Length: 300"))
OPEN_HEAD = Message(b"HTTP/1.1 200 OK", (b"Content-Type: text/event-stream",))

MEGABYTE = 1 << 20
HELD_MOST = 48 * MEGABYTE
"""What two pairs of kernel buffers and a bounded proxy may hold of a stream that nobody reads."""

TRICKLE_S = 600
SILENCE_S = 200


def in_turn(stream: Stream, pieces: tuple[bytes, ...], *, is_chunked: bool = True) -> None:
    """Send each piece only after the one before has arrived."""
    for piece in pieces:
        stream.upstream.send(chunk(piece) if is_chunked else piece)
        equal("piece", stream.payload.read(len(piece)), piece)


@probe("stream.head-first", "F01, F06")
def _(bench: Bench) -> None:
    """The response head arrives before any byte of the body exists."""
    equal("status", bench.open_stream().head.status, 200)


@probe("stream.first-piece", "F01")
def _(bench: Bench) -> None:
    """The first small event arrives before anything follows it."""
    in_turn(bench.open_stream(), (b"data: 1\n\n",))


@probe("stream.order", "F02, F03")
def _(bench: Bench) -> None:
    """200 events, each sent only after the one before was received."""
    stream = bench.open_stream()
    in_turn(stream, tuple(b"data: %d\n\n" % number for number in range(200)))
    stream.upstream.send(b"0\r\n\r\n")
    stream.payload.read_last_chunk()


@probe("stream.small-json", "F05")
def _(bench: Bench) -> None:
    """Small pieces of a body that is no event stream are not held either."""
    in_turn(bench.open_stream(JSON_HEAD), (b"{", b'"a":', b"1", b"}"))


@probe("stream.sized", "F06")
def _(bench: Bench) -> None:
    """Pieces of a body with Content-Length arrive one by one."""
    in_turn(bench.open_stream(SIZED_HEAD), (b"x" * 100, b"y", b"z" * 199), is_chunked=False)


@probe("stream.close-delimited", "F06")
def _(bench: Bench) -> None:
    """Pieces of a body that ends with the connection arrive one by one."""
    in_turn(bench.open_stream(OPEN_HEAD), EVENTS, is_chunked=False)


@probe("stream.half-chunk", "F06, design §4 Exactness")
def _(bench: Bench) -> None:
    """Half a chunk is passed on before its other half exists."""
    stream = bench.open_stream()
    stream.upstream.send(b"14\r\ndata: half")
    equal("first half", stream.payload.read(10), b"data: half")
    stream.upstream.send(b" and half\n\r\n")
    equal("second half", stream.payload.read(10), b" and half\n")


@probe("stream.cut-character", "F07")
def _(bench: Bench) -> None:
    """A character cut between two pieces arrives in those two pieces."""
    in_turn(bench.open_stream(), (b"data: \xf0\x9f", b"\x98\x80", b"\n\n"))


@probe("stream.large-event", "F06")
def _(bench: Bench) -> None:
    """Events of 60 KB keep their order."""
    in_turn(bench.open_stream(), tuple(b"data: " + bytes([letter]) * 60_000 + b"\n\n" for letter in b"abcd"))


@probe("stream.pings", "F10, F11")
def _(bench: Bench) -> None:
    """Pings and comments are relayed at once, and nothing is invented while the upstream is silent."""
    stream = bench.open_stream()
    in_turn(stream, (b'event: ping\ndata: {"type": "ping"}\n\n', b": keep-alive\n\n"))
    stream.upstream.send(chunk(b"data: x\n\n"))
    stream.client.read_until(b"data: x\n\n\r\n", "the event and its chunk's end")
    stream.client.expect_silence(1.0)
    stream.upstream.send(chunk(b": y\n\n"))
    stream.client.read_until(b": y\n\n", "the event after a silence")


@probe("stream.terminal-event", "F17")
def _(bench: Bench) -> None:
    """A terminal event is relayed at once though the upstream leaves the body open."""
    for last in (EVENTS[-1], b'event: response.failed\ndata: {"type":"response.failed"}\n\n'):
        in_turn(bench.open_stream(), (EVENTS[0], last))


@probe("stream.upload", "F06, design §4 Exactness")
def _(bench: Bench) -> None:
    """A request body is passed on piece by piece while the client still makes it."""
    asked = bench.send(bench.request(lines=AGENT_LINES, body=b"x" * 3000).head)
    for letter in b"abc":
        asked.client.send(bytes([letter]) * 1000)
        equal("piece of the request body", asked.upstream.read(1000), bytes([letter]) * 1000)
    bench.answer(asked)


@probe("stream.upload-chunked", "F06, design §4 Exactness")
def _(bench: Bench) -> None:
    """A chunked request body is passed on piece by piece too."""
    asked = bench.send(bench.chunked_request(b"").head)
    payload = Payload(asked.upstream, asked.head)
    for letter in b"abc":
        asked.client.send(chunk(bytes([letter]) * 10))
        equal("piece of the request body", payload.read(10), bytes([letter]) * 10)
    asked.client.send(b"0\r\n\r\n")
    payload.read_last_chunk()
    bench.answer(asked)


@probe("stream.duplex", "design §4 Exactness")
def _(bench: Bench) -> None:
    """An answer streams while its request is still being sent."""
    asked = bench.send(bench.request(body=b"x" * 3).head)
    asked.upstream.send(STREAM_HEAD.head)
    payload = Payload(asked.client, asked.client.read_head("a response head, the request body still to come"))
    for letter in (b"a", b"b", b"c"):
        asked.client.send(letter)
        equal("piece of the request", asked.upstream.read(1), letter)
        asked.upstream.send(chunk(letter))
        equal("piece of the answer", payload.read(1), letter)


def cut_probe(name: str, framing: str, head: Message, sent: bytes) -> None:
    def work(bench: Bench) -> None:
        stream = bench.open_stream(head)
        stream.upstream.send(sent)
        equal("first event", stream.payload.read(len(EVENTS[0])), EVENTS[0])
        stream.upstream.abort()
        ending = stream.client.read_to_end()
        if b"event:" in ending.data:
            raise FindingError(f"an event was invented: {ending.data!r}")
        if not ending.was_reset:
            true("a clean end: the client cannot tell that the body was cut", is_open_ended(stream, ending.data))

    sentence = f"A {framing} body cut by the upstream is seen as cut, and nothing is put in its place"
    SECTION.add(f"stream.cut-{name}", "peers 3.1, F13, F15", sentence, work)


def is_open_ended(stream: Stream, rest: bytes) -> bool:
    """A FIN tells of a cut only where the framing shows that bytes are missing."""
    if stream.head.values("content-length"):
        return True
    return bool(stream.head.values("transfer-encoding")) and not rest.endswith(b"0\r\n\r\n")


for _cut in (
    ("sized", "Content-Length", SIZED_HEAD, EVENTS[0]),
    ("chunked", "chunked", STREAM_HEAD, chunk(EVENTS[0])),
    ("inside-chunk", "chunked (inside a chunk)", STREAM_HEAD, b"fff\r\n" + EVENTS[0]),
    ("close-delimited", "close-delimited", OPEN_HEAD, EVENTS[0]),
):
    cut_probe(*_cut)


@probe("stream.closed-early", "F13, F14")
def _(bench: Bench) -> None:
    """An upstream that closes in order, but before the body's end, is seen as cut too."""
    for head, sent in ((SIZED_HEAD, EVENTS[0]), (STREAM_HEAD, chunk(EVENTS[0]))):
        stream = bench.open_stream(head)
        stream.upstream.send(sent)
        stream.payload.read(len(EVENTS[0]))
        stream.upstream.close()
        ending = stream.client.read_to_end()
        true("the missing end shows", ending.was_reset or is_open_ended(stream, ending.data))


@probe("stream.back-pressure", "F35, design §4 Connections", deadline_s=60)
def _(bench: Bench) -> None:
    """A client that does not read stops the upstream after a bounded number of bytes, and loses none."""
    total = 256 * MEGABYTE
    head = Message(b"HTTP/1.1 200 OK", (b"Content-Length: %d" % total,))
    stream = bench.open_stream(head)
    piece = bytes(range(256)) * 4096
    sent = stream.upstream.send_until_stuck(piece, most=HELD_MOST + MEGABYTE)
    true(f"the upstream could send {sent} bytes that nobody read, expected at most {HELD_MOST}", sent <= HELD_MOST)
    found = hashlib.sha256(stream.client.read(sent)).hexdigest()
    expected = hashlib.sha256((piece * (sent // len(piece) + 1))[:sent]).hexdigest()
    equal("SHA-256 of what was held", found, expected)


@probe("stream.back-pressure-upload", "F35, design §4 Connections", deadline_s=60)
def _(bench: Bench) -> None:
    """An upstream that does not read stops the client after a bounded number of bytes, and misses none."""
    head = bench.request(body=None)
    lines = (*head.lines, b"Content-Length: %d" % (256 * MEGABYTE))
    asked = bench.send(Message(head.start, lines))
    piece = bytes(range(256)) * 4096
    sent = asked.client.send_until_stuck(piece, most=HELD_MOST + MEGABYTE)
    true(f"the client could send {sent} bytes that nobody read, expected at most {HELD_MOST}", sent <= HELD_MOST)
    found = hashlib.sha256(asked.upstream.read(sent)).hexdigest()
    expected = hashlib.sha256((piece * (sent // len(piece) + 1))[:sent]).hexdigest()
    equal("SHA-256 of what was held", found, expected)


@probe("stream.stuck-neighbour", "F35, design §4 Connections", deadline_s=30)
def _(bench: Bench) -> None:
    """A client that does not read holds nobody else up."""
    head = Message(b"HTTP/1.1 200 OK", (b"Content-Length: %d" % (256 * MEGABYTE),))
    bench.open_stream(head).upstream.send_until_stuck(bytes(MEGABYTE), most=HELD_MOST)
    in_turn(bench.open_stream(), EVENTS)


@probe("stream.many", "design §4 Connections", deadline_s=60)
def _(bench: Bench) -> None:
    """200 streams open at once, each event on each of them in its turn."""
    streams = [bench.open_stream() for _ in range(200)]
    for round_number in range(3):
        for number, stream in enumerate(streams):
            in_turn(stream, (b"data: %d of %d\n\n" % (round_number, number),))


@probe("stream.json-answer", "F18, F19")
def _(bench: Bench) -> None:
    """The answer's mode is the upstream's: JSON stays JSON though the request asked for a stream."""
    true("the request asks for a stream", b'"stream":true' in BODY)
    found = bench.exchange(answer=OK)
    equal("answer", (without(found.lines, "connection", "date", "server"), found.body), (OK.lines, OK.body))


@probe("stream.trickle", "F12", long=True, deadline_s=TRICKLE_S + 60)
def _(bench: Bench) -> None:
    """One event a second for ten minutes."""
    stream = bench.open_stream()
    for number in range(TRICKLE_S):
        in_turn(stream, (b"data: %d\n\n" % number,))
        time.sleep(1)


@probe("stream.silence", "F11, F12, design §4 Connections", long=True, deadline_s=2 * SILENCE_S + 60)
def _(bench: Bench) -> None:
    """200 s of silence, before the head and inside the body, are not cut."""
    asked = bench.ask()
    asked.client.expect_silence(0.0)
    time.sleep(SILENCE_S)
    asked.upstream.send(STREAM_HEAD.head)
    stream = Stream(asked.client, asked.upstream, head := asked.client.read_head(), Payload(asked.client, head))
    in_turn(stream, (EVENTS[0],))
    time.sleep(SILENCE_S)
    in_turn(stream, (EVENTS[-1],))


@probe("stream.gap", "F11")
def _(bench: Bench) -> None:
    """An answer that takes a while to begin is waited for, and nothing is said meanwhile."""
    asked = bench.ask()
    asked.client.expect_silence(1.5)
    equal("body", bench.answer(asked, response(b"HTTP/1.1 200 OK", body=b"late")).body, b"late")
