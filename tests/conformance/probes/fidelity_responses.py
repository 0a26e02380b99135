"""Profile `fidelity`, towards the client: what the provider sent is what the client gets."""

from __future__ import annotations

import hashlib
import random

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.client import end_to_end
from tests.conformance.harness.findings import equal, true
from tests.conformance.harness.messages import OK, STREAM_HEAD, Message, chunk, chunked, name_of, only, response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Payload
from tests.conformance.probes.fidelity_codings import EVENTS
from tests.conformance.probes.fidelity_requests import LARGE, noise

SECTION = Section("fidelity")
probe = SECTION.probe

ODD_LINES = (
    b"request-id: req_011",
    b"Set-Cookie: a=1; Path=/",
    b"anthropic-ratelimit-unified-status: allowed",
    b"X-Unknown-Answer:   kept  ",
    b"set-cookie: b=2; Path=/",
    b"X-Empty:",
    b"CF-RAY: 8c0ffee",
    b"Date: Mon, 30 Nov 2026 10:00:00 GMT",
    b"Server: provider/1.0",
    b"Vary: a",
    b"vary: b",
    b"Content-Type: application/json",
)


@probe("response.lines-exact", "peers 3.1, F23")
def _(bench: Bench) -> None:
    """Header lines keep order, case, blanks and repeats, Set-Cookie twice among them."""
    answer = response(b"HTTP/1.1 200 OK", *ODD_LINES, body=b"{}")
    equal("header lines", end_to_end(bench.exchange(answer=answer).lines), answer.lines)


@probe("response.lines-kept", "F23, peers 3.1")
def _(bench: Bench) -> None:
    """No header of the answer is lost, whatever their order."""
    answer = response(b"HTTP/1.1 200 OK", *ODD_LINES, body=b"{}")
    found = sorted(line.lower().replace(b" ", b"") for line in bench.exchange(answer=answer).lines)
    equal("lines lost", [line for line in answer.lines if line.lower().replace(b" ", b"") not in found], [])


@probe("response.nothing-added", "peers 3.1")
def _(bench: Bench) -> None:
    """No header line is added to the answer (Connection apart)."""
    answer = response(b"HTTP/1.1 200 OK", b"Content-Type: application/json", body=b"{}")
    sent = {name_of(line) for line in answer.lines} | {"connection"}
    added = [line for line in bench.exchange(answer=answer).lines if name_of(line) not in sent]
    equal("header lines added", added, [])


@probe("response.head-48k", "design §4 Framing")
def _(bench: Bench) -> None:
    """An answer's head of 48 KB in 200 lines passes."""
    many = tuple(b"X-Line-%d: %s" % (number, b"v" * 220) for number in range(200))
    found = set(bench.exchange(answer=response(b"HTTP/1.1 200 OK", *many, body=b"{}")).lines)
    equal("lines lost", [line for line in many if line not in found], [])


@probe("response.hop-by-hop", "design §4 Exactness")
def _(bench: Bench) -> None:
    """The upstream's Connection, the fields it names and Keep-Alive end at the proxy."""
    hop = (b"Connection: keep-alive, X-Hop", b"X-Hop: private", b"Keep-Alive: timeout=5")
    lines = bench.exchange(answer=response(b"HTTP/1.1 200 OK", *hop, body=b"{}")).lines
    equal("hop-by-hop lines at the client", only(lines, "x-hop", "keep-alive"), ())


def status_probe(name: str, reference: str, start: bytes, *lines: bytes, body: bytes = b'{"type":"error"}') -> None:
    def work(bench: Bench) -> None:
        answer = response(start, *lines, b"Content-Type: application/json", body=body)
        found = bench.exchange(answer=answer)
        equal("status line", found.start, start)
        equal("lines lost", [line for line in answer.lines if line not in found.lines], [])
        equal("body", found.body, body)

    SECTION.add(f"response.{name}", reference, f"Status line `{start.decode()}` and its body pass unchanged", work)


RATE_LIMIT = (
    b"retry-after: 17",
    b"anthropic-ratelimit-unified-status: rejected",
    b"anthropic-ratelimit-requests-remaining: 0",
    b"x-should-retry: false",
)
for _row in (
    ("status-429", "peers 3.1, F23", b"HTTP/1.1 429 Too Many Requests", *RATE_LIMIT),
    ("status-529", "F19", b"HTTP/1.1 529 Overloaded"),
    ("status-413", "F19, F20", b"HTTP/1.1 413 Payload Too Large"),
    ("status-500", "F19", b"HTTP/1.1 500 Internal Server Error"),
    ("status-299", "F19", b"HTTP/1.1 299 Odd"),
    ("reason-phrase", "design §4 Exactness", b"HTTP/1.1 200 Totally  fine, thanks"),
    ("reason-empty", "design §4 Exactness", b"HTTP/1.1 200 "),
):
    status_probe(*_row)


@probe("response.sse-grammar", "F07, F09, F10")
def _(bench: Bench) -> None:
    """SSE of every spelling passes: CRLF, lone CR, BOM, comments, no blank behind the colon, cut characters."""
    pieces = (
        b"\xef\xbb\xbfdata:x\r\n\r",
        b"\ndata\r\rid\r\r: only\r\r",
        b"data: \xf0\x9f",
        b"\x98\x80\n\ndata:\xff\n\n",
    )
    stream = bench.open_stream()
    for piece in pieces:
        stream.upstream.send(chunk(piece))
        equal("piece", stream.payload.read(len(piece)), piece)


@probe("response.binary", "F28")
def _(bench: Bench) -> None:
    """300 KB of binary pass."""
    answer = response(b"HTTP/1.1 200 OK", b"Content-Type: application/octet-stream", body=noise(300_000))
    equal("body", bench.exchange(answer=answer).body, answer.body)


@probe("response.body-40mb", "F33", deadline_s=60)
def _(bench: Bench) -> None:
    """A 40 MB answer passes whole."""
    body = noise(LARGE, seed=2)
    found = bench.exchange(answer=response(b"HTTP/1.1 200 OK", body=body)).body
    equal("SHA-256 of the body", hashlib.sha256(found).hexdigest(), hashlib.sha256(body).hexdigest())


def raw_probe(name: str, sentence: str, body: bytes, *lines: bytes) -> None:
    def work(bench: Bench) -> None:
        head = Message(STREAM_HEAD.start, (*STREAM_HEAD.lines, *lines))
        found = bench.exchange(answer=Message(head.start, head.lines, body))
        equal("chunked body", found.body, body)
        equal("lines lost", [line for line in head.lines if line not in found.lines], [])

    SECTION.add(f"response.{name}", "peers 3.1, design §4 Exactness", sentence, work)


raw_probe(
    "chunks",
    "Chunk framing arrives as sent: sizes' spelling, extensions, last chunk",
    b'00A;sig="a;b"\r\n0123456789\r\n' + chunk(EVENTS[0], extension=b";x=1") + b"1\r\n\n\r\n00;last\r\n\r\n",
)
raw_probe(
    "trailers",
    "Trailers pass",
    chunked(EVENTS, trailers=(b"X-Checksum: abc", b"server-timing:  total;dur=1")),
    b"Trailer: X-Checksum, server-timing",
)


@probe("response.tiny-chunks", "design §4 Exactness")
def _(bench: Bench) -> None:
    """10,000 chunks of one byte, in packets that cut them anywhere, arrive whole."""
    body = noise(10_000, seed=3)
    raw = chunked([body[at : at + 1] for at in range(len(body))])
    stream = bench.open_stream()
    bench.background(lambda: stream.upstream.send_in_pieces(raw, 997))
    equal("payload", stream.payload.read(len(body)), body)
    stream.payload.read_last_chunk()


@probe("response.interim", "peers 3.1, design §4 Exactness")
def _(bench: Bench) -> None:
    """Two 103 answers and an unasked 100 pass before the final one."""
    asked = bench.ask()
    hints = Message(b"HTTP/1.1 103 Early Hints", (b"Link: </a>; rel=preload", b"link: </b>"))
    for interim in (hints, Message(b"HTTP/1.1 100 Continue", ()), hints):
        asked.upstream.send(interim.head)
        found = asked.client.read_head("an interim head")
        equal("interim head", (found.start, *end_to_end(found.lines)), (interim.start, *interim.lines))
    equal("body", bench.answer(asked).body, OK.body)


def bodiless_probe(name: str, method: bytes, start: bytes, *lines: bytes) -> None:
    def work(bench: Bench) -> None:
        asked = bench.ask(bench.request(method=method, body=None))
        asked.upstream.send(Message(start, lines).head)
        found = asked.client.read_head("a response head")
        equal("status line", found.start, start)
        equal("lines lost", [line for line in lines if line not in found.lines], [])
        asked.client.expect_silence(0.1)
        following = bench.ask(client=asked.client)
        equal("the next answer's body", bench.answer(following).body, OK.body)

    words = b" with ".join((start.removeprefix(b"HTTP/1.1 "), b", ".join(lines))).decode().removesuffix(" with ")
    sentence = f"{method.decode()} answered {words}: no body is waited for, the connection goes on"
    SECTION.add(f"response.{name}", "peers 3.1, design §4 Exactness", sentence, work)


for _bodiless in (
    ("head-length", b"HEAD", b"HTTP/1.1 200 OK", b"Content-Length: 1234"),
    ("head-chunked", b"HEAD", b"HTTP/1.1 200 OK", b"Transfer-Encoding: chunked"),
    ("204", b"DELETE", b"HTTP/1.1 204 No Content"),
    ("304", b"GET", b"HTTP/1.1 304 Not Modified", b'ETag: "x"'),
    ("304-length", b"GET", b"HTTP/1.1 304 Not Modified", b"Content-Length: 120"),
):
    bodiless_probe(*_bodiless)


@probe("response.zero-bytes", "F18")
def _(bench: Bench) -> None:
    """A 200 of zero bytes is a 200 of zero bytes."""
    found = bench.exchange(answer=response(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream"))
    equal("answer", (found.start, found.body), (b"HTTP/1.1 200 OK", b""))


@probe("response.close-delimited", "peers 3.1, design §4 Exactness")
def _(bench: Bench) -> None:
    """A body that ends with the connection arrives whole and ends cleanly."""
    stream = bench.open_stream(Message(b"HTTP/1.1 200 OK", (b"Content-Type: text/event-stream",)))
    stream.upstream.send(b"".join(EVENTS))
    stream.upstream.close()
    total = b"".join(EVENTS)
    equal("body", stream.payload.read(len(total)), total)
    if stream.head.values("transfer-encoding"):
        stream.payload.read_last_chunk()
    else:
        true("the connection ends by FIN, not by RST", not stream.client.expect_end().was_reset)


@probe("response.http10", "design §4 Exactness")
def _(bench: Bench) -> None:
    """An HTTP/1.0 answer passes whole."""
    asked = bench.ask()
    asked.upstream.send(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nold")
    asked.upstream.close()
    head = asked.client.read_head()
    equal("answer", (head.status, Payload(asked.client, head).read(3)), (200, b"old"))


@probe("response.byte-by-byte", "design §4 Exactness", deadline_s=30)
def _(bench: Bench) -> None:
    """An answer that comes one byte at a time arrives the same."""
    answer = Message(STREAM_HEAD.start, STREAM_HEAD.lines, chunked(EVENTS[:2], trailers=(b"X-T: 1",)))
    asked = bench.ask()
    asked.upstream.send_in_pieces(answer.raw, 1)
    head = asked.client.read_head("a response head")
    equal("lines lost", [line for line in answer.lines if line not in head.lines], [])
    payload = Payload(asked.client, head)
    equal("payload", payload.read(len(b"".join(EVENTS[:2]))), b"".join(EVENTS[:2]))


@probe("response.any-split", "design §4 Exactness", deadline_s=30)
def _(bench: Bench) -> None:
    """Twenty answers on one connection, cut into packets at random, arrive the same."""
    client, cuts = bench.connect(), random.Random(21)
    payload = b"".join(EVENTS) + noise(5000)
    raw = chunked([*EVENTS, noise(5000)], trailers=(b"X-T: 1",))
    for _ in range(20):
        asked = bench.ask(client=client)
        asked.upstream.send_in_pieces(STREAM_HEAD.head + raw, cuts.randint(1, 400))
        head = client.read_head()
        if bench.target.is_ours:
            equal("chunked body", client.read_chunked(), raw)
        else:
            found = Payload(client, head)
            equal("payload", found.read(len(payload)), payload)
            found.read_last_chunk()
