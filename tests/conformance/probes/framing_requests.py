"""Profile `framing-safety`, towards the provider: what two parsers could read in two ways goes no further."""

from __future__ import annotations

from typing import NamedTuple

from tests.conformance.harness.bench import Answer, Bench, answer_of
from tests.conformance.harness.findings import EndedError, RefusedError, equal, short, true
from tests.conformance.harness.messages import HEAD_END, OK
from tests.conformance.harness.registry import Section

SECTION = Section("framing-safety")
probe = SECTION.probe

REFUSALS = frozenset({400, 431})
"""431 is for heads that are too long."""
OTHERS_REFUSALS = frozenset({0, *range(400, 600)})
"""What another proxy may say; 0: it closed without a word."""


REFERENCE = "design §4 Framing"
WHOLE = 1 << 20
SHORT = 5000
"""Longer rows are not sent in small packets."""


class Row(NamedTuple):
    """A request that must be refused. `@H` stands for the right Host line, `@P` for the target's base path."""

    name: str
    sentence: str
    raw: bytes


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: smuggled\r\n\r\n"
POST = b"POST @P/v1/messages HTTP/1.1\r\n@H\r\n"
CL5 = b"Content-Length: 5"
TE = b"Transfer-Encoding: chunked"
END = b"\r\n0\r\n\r\n"
"""Ends a head, and is an empty chunked body."""


def lines(*extra: bytes) -> bytes:
    """A POST with these header lines and a body of five bytes, which is also a chunked body's end."""
    return POST + b"".join(line + b"\r\n" for line in extra) + END


HEADS = (
    Row("host-none", "No Host line", b"GET @P/v1/models HTTP/1.1\r\nAccept: */*\r\n\r\n"),
    Row("host-two", "Two Host lines", lines(b"Host: other.example", CL5)),
    Row("host-two-same", "The same Host line twice", b"GET @P/v1/models HTTP/1.1\r\n@H\r\n@H\r\n\r\n"),
    Row(
        "absolute-form",
        "A request target in absolute form",
        b"GET http://other.example/v1/models HTTP/1.1\r\n@H\r\n\r\n",
    ),
    Row("authority-form", "CONNECT", b"CONNECT other.example:443 HTTP/1.1\r\n@H\r\n\r\n"),
    Row("connect-path", "CONNECT with a path", b"CONNECT @P/v1/models HTTP/1.1\r\n@H\r\n\r\n"),
    Row("asterisk-form", "A request target that is no path", b"OPTIONS * HTTP/1.1\r\n@H\r\n\r\n"),
    Row("relative-form", "A request target without its slash", b"GET v1/models HTTP/1.1\r\n@H\r\n\r\n"),
    Row("http09", "HTTP/0.9", b"GET @P/v1/models\r\n\r\n"),
    Row("http2-preface", "The HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    Row("version-odd", "A version that is none", b"GET @P/v1/models HTTP/1.10\r\n@H\r\n\r\n"),
    Row("version-case", "A version in lower case", b"GET @P/v1/models http/1.1\r\n@H\r\n\r\n"),
    Row("target-blank", "A blank inside the request target", b"GET @P/v1/mo dels HTTP/1.1\r\n@H\r\n\r\n"),
    Row("target-control", "A control character in the request target", b"GET @P/v1/mo\x01dels HTTP/1.1\r\n@H\r\n\r\n"),
    Row("method-odd", "A method that is no token", b"GE(T @P/v1/models HTTP/1.1\r\n@H\r\n\r\n"),
    Row("length-and-chunked", "Content-Length and Transfer-Encoding", lines(CL5, TE)),
    Row("chunked-and-length", "Transfer-Encoding and Content-Length", lines(TE, CL5)),
    Row("length-two", "Two different Content-Lengths", lines(CL5, b"content-length: 0")),
    Row("length-two-same", "The same Content-Length twice", lines(CL5, CL5)),
    Row("length-list", "A list of Content-Lengths in one line", lines(b"Content-Length: 5, 5")),
    Row("length-plus", "Content-Length with a plus sign", lines(b"Content-Length: +5")),
    Row("length-minus", "A negative Content-Length", lines(b"Content-Length: -5")),
    Row("length-hex", "A hexadecimal Content-Length", lines(b"Content-Length: 0x5")),
    Row("length-blank", "Content-Length with a blank inside", lines(b"Content-Length: 5 5")),
    Row("length-empty", "An empty Content-Length", lines(b"Content-Length:")),
    Row("length-letters", "Content-Length that is no number", lines(b"Content-Length: five")),
    Row("length-huge", "Content-Length beyond 64 bits", lines(b"Content-Length: 18446744073709551621")),
    Row("chunked-twice", "Transfer-Encoding twice", lines(TE, TE)),
    Row("coding-unknown", "An unknown transfer coding", lines(b"Transfer-Encoding: xchunked")),
    Row("coding-identity", "Transfer-Encoding: identity", lines(b"Transfer-Encoding: identity", CL5)),
    Row("coding-not-last", "chunked that is not the last coding", lines(b"Transfer-Encoding: chunked, gzip")),
    Row("coding-tab", "Transfer-Encoding with a control character", lines(b"Transfer-Encoding: \x0bchunked")),
    Row("coding-http10", "Transfer-Encoding in HTTP/1.0", lines(TE).replace(b"HTTP/1.1", b"HTTP/1.0")),
    Row("name-blank", "A blank before the colon", lines(b"Transfer-Encoding : chunked")),
    Row("name-blank-inside", "A blank inside a field name", lines(b"X Y: 1", CL5)),
    Row("name-empty", "An empty field name", lines(b": 1", CL5)),
    Row("name-none", "A header line without a colon", lines(b"nonsense", CL5)),
    Row("name-control", "A control character in a field name", lines(b"X\x00Y: 1", CL5)),
    Row("fold", "A folded header line", lines(b"X-Folded: a\r\n  b", CL5)),
    Row(
        "fold-first",
        "A folded line right behind the request line",
        POST.replace(b"\r\n@H", b"\r\n X: 1\r\n@H") + b"\r\n",
    ),
    Row("bare-cr", "A bare CR in a value", lines(b"X-A: 1\rContent-Length: 0", CL5)),
    Row("bare-cr-end", "A header line ended by a bare CR", lines(b"X-A: 1\rX-B: 2", CL5)),
    Row("bare-lf", "Header lines ended by a bare LF", b"GET @P/v1/models HTTP/1.1\n@H\n\n"),
    Row("bare-lf-one", "One header line ended by a bare LF", lines(b"X-A: 1\nX-B: 2", CL5)),
    Row("nul", "A NUL in a value", lines(b"X-A: 1\x002", CL5)),
    Row("control", "A control character in a value", lines(b"X-A: 1\x022", CL5)),
    Row("head-long", "A head beyond 64 KiB", lines(b"X-Long: " + b"x" * 66_000, CL5)),
    Row("head-lines", "A head of more than 256 lines", lines(*[b"X-%d: 1" % number for number in range(260)], CL5)),
    Row("head-endless", "A header line that never ends", POST + b"X-Long: " + b"x" * 70_000),
    Row(
        "connection-length",
        "Connection that names Content-Length",
        lines(b"Connection: close, content-length", CL5),
    ),
    Row("connection-coding", "Connection that names Transfer-Encoding", lines(b"Connection: Transfer-Encoding", TE)),
    Row("connection-host", "Connection that names Host", lines(b"Connection: host", CL5)),
    Row(
        "connection-authorization",
        "Connection that names Authorization",
        lines(b"Connection: authorization", b"Authorization: Bearer x", CL5),
    ),
    Row("connection-key", "Connection that names x-api-key", lines(b"Connection: X-API-Key", b"x-api-key: x", CL5)),
)
"""The upstream must not see a byte of these."""

OURS = frozenset(
    {"asterisk-form", "absolute-form", "length-two-same", "length-list", "bare-lf", "bare-lf-one", "head-long"}
    | {"head-lines", "head-endless", "connection-authorization", "connection-key", "connection-host"}
)
"""Rows that are a house rule: RFC 9112 lets other proxies take them, or sets no limit."""


def head_probe(row: Row) -> None:
    def work(bench: Bench) -> None:
        check_head(bench, row)

    sentence = f"{row.sentence}: refused, closed, unseen by the upstream"
    SECTION.add(f"framing.{row.name}", REFERENCE, sentence, work, ours=row.name in OURS)


def check_head(bench: Bench, row: Row, *, piece: int = WHOLE) -> None:
    """The row, sent in packets of `piece` bytes, is refused."""
    check_refusal(bench, row, bench.refused(filled(row.raw, bench), piece=piece))


def check_refusal(bench: Bench, row: Row, answer: Answer) -> None:
    """The answer is one by which requests are refused."""
    allowed = REFUSALS if bench.target.is_ours else OTHERS_REFUSALS
    true(f"{row.name}: answer {short(answer.head.start)}, expected a refusal", answer.head.status in allowed)


def filled(raw: bytes, bench: Bench) -> bytes:
    """The row's bytes for this target."""
    return raw.replace(b"@H", bench.host_line).replace(b"@P", bench.target.base_path)


for _row in HEADS:
    head_probe(_row)

CHUNK = b"5\r\nhello\r\n"
BODIES = (
    Row("size-letters", "A chunk size that is no number", b"xyz\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-minus", "A negative chunk size", b"-8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-plus", "A chunk size with a plus sign", b"+8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-prefix", "A chunk size written 0x8", b"0x8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-empty", "An empty chunk size", b"\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-underscore", "A chunk size with an underscore", b"0_8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-huge", "A chunk size beyond 64 bits", b"10000000000000008\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-endless", "A chunk's size line that never ends", b"0" * 70_000 + b"8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("data-long", "A chunk longer than its size", b"3\r\nabcSMUGGLED\r\n0\r\n\r\n"),
    Row("data-no-crlf", "Chunk data ended by two letters", b"3\r\nabcXX8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("data-lf", "Chunk data ended by a bare LF", b"3\r\nabc\n8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("size-lf", "A chunk's size line ended by a bare LF", b"8\nSMUGGLED\r\n0\r\n\r\n"),
    Row("extension-cr", "A bare CR in a chunk extension", b"8;a\rb\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("extension-lf", "A bare LF in a chunk extension", b"2;\nxx\r\n8\r\nSMUGGLED\r\n0\r\n\r\n"),
    Row("trailer-fold", "A folded trailer line", b"0\r\nX-A: 1\r\n SMUGGLED\r\n\r\n"),
    Row("trailer-none", "A trailer line without a colon", b"0\r\nSMUGGLED\r\n\r\n"),
    Row("trailer-cr", "A bare CR in a trailer", b"0\r\nX-A: 1\rSMUGGLED: 1\r\n\r\n"),
    Row("trailer-endless", "A trailer beyond 64 KiB", b"0\r\n" + b"X-A: SMUGGLED\r\n" * 6000 + b"\r\n"),
)
"""Chunked bodies; a valid chunk stands before them. What came before the fault may have been passed on."""


def body_probe(row: Row) -> None:
    def work(bench: Bench) -> None:
        check_body(bench, row)

    sentence = f"{row.sentence}: refused, closed, the upstream sees an unfinished body at most"
    SECTION.add(f"framing.chunk-{row.name}", REFERENCE, sentence, work)


def check_body(bench: Bench, row: Row, *, piece: int = WHOLE) -> None:
    """The row, sent in packets of `piece` bytes, is refused, and its fault does not reach the upstream."""
    client = bench.connect()
    raw = filled(POST + TE, bench) + HEAD_END + CHUNK + row.raw
    bench.background(lambda: client.send_in_pieces(raw, piece), may_fail=True)
    try:
        upstream = bench.next_request(client)
    except RefusedError:
        seen = b""
    else:
        seen = upstream.read_to_end().data
    true(f"{row.name}: the upstream saw {short(seen[-100:])}", b"SMUGGLED" not in seen)
    true(f"{row.name}: the upstream saw a whole body: {short(seen[-100:])}", not seen.endswith(b"0\r\n\r\n"))
    check_refusal(bench, row, answer_of(client.read_to_end().data))


for _row in BODIES:
    body_probe(_row)


@probe("framing.in-pieces", REFERENCE, ours=True, deadline_s=60)
def _(bench: Bench) -> None:
    """Every head and body above is refused too when it comes in packets of three bytes."""
    for row in HEADS:
        if len(row.raw) < SHORT:
            check_head(bench, row, piece=3)
    for row in BODIES:
        if len(row.raw) < SHORT:
            check_body(bench, row, piece=3)


@probe("framing.after-a-good-one", REFERENCE)
def _(bench: Bench) -> None:
    """A bad head pipelined behind a good request: the good one is answered, the bad one refused."""
    good = bench.request()
    asked = bench.send(good.raw + filled(lines(CL5, TE), bench))
    equal("body", asked.upstream.read_body(asked.head), good.body)
    equal("body", bench.answer(asked).body, OK.body)
    try:
        refusal = asked.client.read_head("a refusal")
        asked.client.read_to_end()
    except EndedError:
        true("ours says 400 before it closes", not bench.target.is_ours)
    else:
        true(f"answer {short(refusal.start)}, expected a refusal", refusal.status in OTHERS_REFUSALS)
    equal("bytes at the upstream", asked.upstream.arrived() + bench.upstream.seen(bench.deadline), b"")


@probe("framing.surplus", REFERENCE)
def _(bench: Bench) -> None:
    """Bytes behind a Content-Length are the next request, not part of this one."""
    good = bench.request(body=b"12345")
    asked = bench.send(good.raw + SMUGGLED.replace(b"Host: smuggled", bench.host_line))
    equal("body", asked.upstream.read_body(asked.head), b"12345")
    asked.upstream.expect_silence(0.1)
    bench.answer(asked)
    following = bench.next_request(asked.client)
    equal("next request line", following.read_head().start.split(b" ")[1], b"/smuggled")
