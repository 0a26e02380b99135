"""Profile `framing-safety`, towards the client: a provider's answer that could be read in two ways is not passed on."""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from tests.conformance.harness.bench import Asked, Bench
from tests.conformance.harness.findings import EndedError, RefusedError, equal, short, true
from tests.conformance.harness.messages import OK, STREAM_HEAD, Message, chunk
from tests.conformance.harness.registry import Section
from tests.conformance.probes.framing_requests import SHORT, WHOLE

SECTION = Section("framing-safety")
probe = SECTION.probe

GATEWAY_ERROR = 502
OTHERS_ERRORS = range(500, 600)
"""How another proxy may say that it does not pass an answer on."""
SPLIT = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nSPLIT"
"""What a client must never get: an answer the framing before it hides."""


class Row(NamedTuple):
    """An answer that must not be passed on."""

    name: str
    sentence: str
    raw: bytes


def ok(*lines: bytes, body: bytes = b"5\r\nSPLIT\r\n0\r\n\r\n") -> bytes:
    """A 200 with these header lines."""
    return b"HTTP/1.1 200 OK\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body


TE, CL5 = b"Transfer-Encoding: chunked", b"Content-Length: 5"

ANSWERS = (
    Row("length-and-chunked", "Content-Length and Transfer-Encoding", ok(CL5, TE)),
    Row("length-two", "Two different Content-Lengths", ok(CL5, b"Content-Length: 15")),
    Row("length-plus", "Content-Length with a plus sign", ok(b"Content-Length: +5")),
    Row("length-minus", "A negative Content-Length", ok(b"Content-Length: -5")),
    Row("length-list", "A list of different Content-Lengths", ok(b"Content-Length: 5, 15")),
    Row("length-huge", "Content-Length beyond 64 bits", ok(b"Content-Length: 18446744073709551621")),
    Row("coding-twice", "Transfer-Encoding twice", ok(TE, TE)),
    Row("coding-blank", "A blank before the colon", ok(b"Transfer-Encoding : chunked")),
    Row("fold", "A folded header line", ok(b"X-A: 1\r\n SPLIT: 2", CL5, body=b"SPLIT")),
    Row("bare-cr", "A bare CR in a value", ok(b"X-A: 1\rX-B: 2", CL5, body=b"SPLIT")),
    Row("nul", "A NUL in a value", ok(b"X-A: 1\x002", CL5, body=b"SPLIT")),
    Row("name-blank", "A blank inside a field name", ok(b"X Y: SPLIT", CL5, body=b"SPLIT")),
    Row("status-letters", "A status that is no number", SPLIT.replace(b"200", b"2OO")),
    Row("status-long", "A status of four digits", SPLIT.replace(b"200", b"2000")),
    Row("status-none", "A first line that is none", b"SPLIT\r\n\r\n"),
    Row("version-odd", "An answer in HTTP/2.0", SPLIT.replace(b"HTTP/1.1", b"HTTP/2.0")),
    Row("garbage", "Binary garbage", bytes(range(128, 256)) * 8 + b"SPLIT\r\n\r\n"),
    Row("head-endless", "A header line that never ends", b"HTTP/1.1 200 OK\r\nX: " + b"SPLIT" * 60_000),
    Row("101-unasked", "A 101 nobody asked for", b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nSPLIT"),
)


def answer_probe(row: Row) -> None:
    def work(bench: Bench) -> None:
        check_answer(bench, row)

    sentence = f"{row.sentence}: the client gets 502 instead"
    SECTION.add(f"framing.answer-{row.name}", "design §4 Framing", sentence, work)


def check_answer(bench: Bench, row: Row, *, piece: int = WHOLE) -> None:
    """The row, sent in packets of `piece` bytes, is not passed on."""
    asked = bench.ask()
    bench.background(lambda: asked.upstream.send_in_pieces(row.raw, piece), may_fail=True)
    try:
        head = asked.client.read_head("an answer or the end")
    except EndedError as end:
        if bench.target.is_ours:
            raise
        true(f"the client got {end}", "SPLIT" not in str(end))
        return
    is_refusal = head.status in ({GATEWAY_ERROR} if bench.target.is_ours else OTHERS_ERRORS)
    true(f"{row.name}: the client got {short(head.raw)}, expected 502", is_refusal)
    true(f"{row.name}: bytes of the answer came through", b"SPLIT" not in asked.client.read_body(head))
    if bench.target.is_ours:
        asked.client.expect_end()


for _row in ANSWERS:
    answer_probe(_row)


@probe("framing.answers-in-pieces", "design §4 Framing", ours=True, deadline_s=60)
def _(bench: Bench) -> None:
    """Every answer above is refused too when it comes in packets of three bytes."""
    for row in ANSWERS:
        if len(row.raw) < SHORT:
            check_answer(bench, row, piece=3)


def chunk_probe(row: Row) -> None:
    def work(bench: Bench) -> None:
        stream = bench.open_stream()
        stream.upstream.send(chunk(b"hello"))
        equal("the valid chunk", stream.payload.read(5), b"hello")
        stream.upstream.send(row.raw)
        ending = stream.client.read_to_end()
        true(f"the client got {short(ending.data)}", b"SPLIT" not in ending.data)
        true("the body's end shows that it was cut", ending.was_reset or not ending.data.endswith(b"0\r\n\r\n"))

    sentence = f"{row.sentence}: the client sees the body cut before it"
    SECTION.add(f"framing.answer-{row.name}", "design §4 Framing", sentence, work)


for _row in (
    Row("chunk-size", "A chunk size that is no number", b"xyz\r\nSPLIT\r\n0\r\n\r\n"),
    Row("chunk-minus", "A negative chunk size", b"-5\r\nSPLIT\r\n0\r\n\r\n"),
    Row("chunk-long", "A chunk longer than its size", b"3\r\nabcSPLIT\r\n0\r\n\r\n"),
    Row("chunk-huge", "A chunk size beyond 64 bits", b"10000000000000005\r\nSPLIT\r\n0\r\n\r\n"),
):
    chunk_probe(_row)


def surplus_probe(name: str, sentence: str, method: bytes, answer: Message) -> None:
    def work(bench: Bench) -> None:
        asked = bench.ask(bench.request(method=method, body=None))
        asked.upstream.send(answer.raw + SPLIT)
        head = asked.client.read_head()
        equal("body", asked.client.read(len(answer.body)), answer.body)
        equal("status line", head.start, answer.start)
        check_next_answer(bench, asked)

    full = f"Bytes behind {sentence} never become an answer"
    SECTION.add(f"framing.surplus-{name}", "design §4 Framing", full, work)


def check_next_answer(bench: Bench, asked: Asked) -> None:
    """The next request on the connection is answered by the upstream, or the connection has ended."""
    with suppress(EndedError):
        asked.client.send(bench.request().raw)
    try:
        upstream = bench.next_request(asked.client)
    except RefusedError:
        found = asked.client.read_to_end().data
    else:
        upstream.read_body(upstream.read_head())
        upstream.send(OK.raw)
        found = asked.client.read_until(OK.body, "the next answer")
    true(f"the client got {short(found)}", b"SPLIT" not in found)


for _surplus in (
    ("length", "a Content-Length", b"GET", OK),
    ("chunked", "the last chunk", b"GET", Message(STREAM_HEAD.start, STREAM_HEAD.lines, chunk(b"x") + b"0\r\n\r\n")),
    ("head", "the answer to a HEAD", b"HEAD", Message(b"HTTP/1.1 200 OK", (CL5,))),
    ("204", "a 204", b"GET", Message(b"HTTP/1.1 204 No Content", ())),
    ("304", "a 304", b"GET", Message(b"HTTP/1.1 304 Not Modified", (CL5,))),
):
    surplus_probe(*_surplus)


@probe("framing.answer-before-request", "design §4 Framing, Connections")
def _(bench: Bench) -> None:
    """An answer sent while no request is pending never answers the next one."""
    asked = bench.ask()
    bench.answer(asked)
    with suppress(EndedError):
        asked.upstream.send(SPLIT)
    check_next_answer(bench, asked)
