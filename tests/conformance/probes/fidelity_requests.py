"""Profile `fidelity`, towards the provider: what the client sent is what the upstream gets."""

from __future__ import annotations

import hashlib
import random

import zstandard

from tests.conformance.harness.bench import Asked, Bench
from tests.conformance.harness.client import AGENT_LINES, BODY, end_to_end
from tests.conformance.harness.findings import equal
from tests.conformance.harness.messages import OK, Message, chunk, chunked, name_of, only, response, without
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Payload

SECTION = Section("fidelity")
probe = SECTION.probe

LARGE = 40 << 20


def noise(size: int, seed: int = 1) -> bytes:
    """Bytes no codec or character set would leave alone."""
    return random.Random(seed).randbytes(size)


@probe("request.body", "peers 3.1, F40")
def _(bench: Bench) -> None:
    """JSON body byte for byte: odd spacing, escapes beside raw UTF-8, unknown and repeated keys."""
    bench.ask_exactly()


@probe("request.body-not-json", "F31")
def _(bench: Bench) -> None:
    """A body that is no JSON at all, with bad UTF-8 and NULs, passes."""
    bench.exchange(bench.request(body=b'{"a": \xff\xfe\x00' + noise(5000) + b"NaN"))


@probe("request.body-zstd", "F31, F32")
def _(bench: Bench) -> None:
    """A zstd body and its Content-Encoding pass as one."""
    body = zstandard.ZstdCompressor().compress(BODY * 20)
    asked = bench.ask(bench.request(lines=(*AGENT_LINES, b"Content-Encoding: zstd"), body=body))
    equal("content-encoding", asked.head.values("content-encoding"), (b"zstd",))
    bench.answer(asked)


@probe("request.body-40mb", "F33, F34", deadline_s=60)
def _(bench: Bench) -> None:
    """A 40 MB body passes whole."""
    body = noise(LARGE)
    asked = bench.send(bench.request(body=body))
    found = asked.upstream.read_body(asked.head)
    equal("SHA-256 of the body", hashlib.sha256(found).hexdigest(), hashlib.sha256(body).hexdigest())
    bench.answer(asked)


@probe("request.target", "peers 3.1")
def _(bench: Bench) -> None:
    """Path and query as sent: order, repeats, empty values, escapes."""
    target = b"/v1/messages/a%20b%7Ec;p=1?beta=true&x=%2F..%20+a&&empty=&a=2&a=1&q=?/:@!$'()*,"
    equal("request target", bench.ask(bench.request(target=target)).head.target, bench.target.base_path + target)


@probe("request.target-not-normalised", "design §4 Addressing")
def _(bench: Bench) -> None:
    """Double slashes, dot segments and encoded slashes of a path that names no upstream pass as sent."""
    target = b"/v1//models/../x/./%2e%2E/a%2Fb//?"
    equal("request target", bench.ask(bench.request(target=target)).head.target, bench.target.base_path + target)


@probe("request.target-long", "design §4 Framing")
def _(bench: Bench) -> None:
    """A request target of 20 KB passes."""
    target = b"/v1/models?after=" + b"x" * 20_000
    equal("request target", bench.ask(bench.request(target=target)).head.target, bench.target.base_path + target)


@probe("request.beta-lines", "peers 3.1, F21")
def _(bench: Bench) -> None:
    """Two separate anthropic-beta lines arrive as two lines."""
    expected = only(AGENT_LINES, "anthropic-beta")
    equal("anthropic-beta lines", only(bench.ask().head.lines, "anthropic-beta"), expected)


@probe("request.identity-lines", "peers 3.1, F22")
def _(bench: Bench) -> None:
    """User-Agent, x-app, x-stainless-*, session and unknown headers arrive."""
    names = ("user-agent", "x-app", "x-stainless-lang", "x-stainless-retry-count", "x-unknown-thing")
    head = bench.ask().head
    for name in (*names, "x-claude-code-session-id", "anthropic-version"):
        found = tuple(line.partition(b":")[2].strip() for line in only(AGENT_LINES, name))
        equal(name, head.values(name), found)


@probe("request.credentials", "F24")
def _(bench: Bench) -> None:
    """Authorization, x-api-key and cookies pass as sent."""
    extra = (b"x-api-key: sk-ant-api03-conformance", b"Cookie: a=1; b=2", b"cookie: c=3")
    head = bench.ask(bench.request(lines=(*AGENT_LINES, *extra))).head
    equal("credential lines", only(head.lines, "x-api-key", "cookie", "authorization"), (AGENT_LINES[6], *extra))


@probe("request.names-case", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Field names keep their case."""
    message = bench.request()
    found = {line.partition(b":")[0] for line in end_to_end(bench.ask(message).head.lines)}
    equal(
        "field names not as sent", sorted({line.partition(b":")[0] for line in end_to_end(message.lines)} - found), []
    )


@probe("request.lines-order", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Header lines keep their order (Host and Connection apart)."""
    message = bench.request()
    equal("header lines", end_to_end(bench.ask(message).head.lines), end_to_end(message.lines))


@probe("request.lines-exact", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Blanks around a value, an empty value, tabs and bytes beyond ASCII stay."""
    odd = (b"X-Blanks:   two  blanks  ", b"X-Empty:", b"X-Tight:v", b"X-Tab:\ta\tb", b"X-Latin: caf\xe9 \xc3\xa9")
    message = bench.request(lines=(*AGENT_LINES, *odd))
    found = bench.ask(message).head.lines
    equal("header lines", only(found, *map(name_of, odd)), odd)


@probe("request.host-in-place", "design §4 Exactness", ours=True)
def _(bench: Bench) -> None:
    """Host keeps its place and spelling and names the upstream."""
    plain = bench.request()
    lines = (*plain.lines[1:3], b"hOST: " + bench.target.authority, *plain.lines[3:])
    expected = (*lines[:2], b"hOST: " + bench.upstream.authority, *lines[3:])
    found = bench.ask(Message(plain.start, lines, plain.body)).head.lines
    equal("header lines", without(found, "connection"), expected)


@probe("request.nothing-added", "peers 3.1")
def _(bench: Bench) -> None:
    """No header line is added (Connection apart): no Accept-Encoding, Via, X-Forwarded-For."""
    message = bench.request()
    sent = {name_of(line) for line in message.lines}
    added = [line for line in bench.ask(message).head.lines if name_of(line) not in sent | {"connection"}]
    equal("header lines added", added, [])


@probe("request.accept-encoding", "F26, design §4 Exactness")
def _(bench: Bench) -> None:
    """Accept-Encoding arrives as sent."""
    line = b"Accept-Encoding: br;q=1.0, gzip, zstd"
    head = bench.ask(bench.request(lines=(*AGENT_LINES, line))).head
    equal("accept-encoding", only(head.lines, "accept-encoding"), (line,))


@probe("request.head-48k", "design §4 Framing")
def _(bench: Bench) -> None:
    """A head of 48 KB in 200 lines passes."""
    many = tuple(b"X-Line-%d: %s" % (number, b"v" * 220) for number in range(200))
    found = set(bench.ask(bench.request(lines=many)).head.lines)
    equal("lines lost", [line for line in many if line not in found], [])


@probe("request.hop-by-hop", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Connection and the fields it names, Keep-Alive and Proxy-* end at the proxy."""
    hop = (b"X-Hop: private", b"Keep-Alive: timeout=5", b"Proxy-Connection: keep-alive")
    lines = (*AGENT_LINES, b"Connection: keep-alive, X-Hop", *hop, b"Proxy-Authorization: Basic Y29uZm9ybQ==")
    head = bench.ask(bench.request(lines=lines)).head
    names = ("x-hop", "keep-alive", "proxy-connection", "proxy-authorization")
    equal("hop-by-hop lines at the upstream", only(head.lines, *names), ())


def method_probe(name: str, method: bytes) -> None:
    def work(bench: Bench) -> None:
        asked = bench.ask(bench.request(method=method, body=BODY))
        equal("request line", asked.head.start, bench.request(method=method).start)
        bench.answer(asked)

    shown = method.decode().replace("`", "")
    SECTION.add(f"request.method-{name}", "design §4 Exactness", f"Method `{shown}` with a body passes", work)


for _method in (b"GET", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"PROPFIND", b"M-SEARCH"):
    method_probe(_method.decode().lower(), _method)
method_probe("lower-case", b"post")
method_probe("any-token", b"X!#$%&'*+-.^_`|~9")


@probe("request.no-body", "design §4 Exactness")
def _(bench: Bench) -> None:
    """A GET without any length field gets none."""
    asked = bench.ask(bench.request(method=b"GET", target=b"/v1/models", body=None))
    equal("length fields", only(asked.head.lines, "content-length", "transfer-encoding"), ())
    bench.answer(asked)
    asked = bench.ask(bench.request(body=b""))
    equal("content-length of an empty POST", asked.head.values("content-length"), (b"0",))


@probe("request.chunks", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Chunk framing arrives as sent: sizes' spelling, extensions, last chunk."""
    body = b'00A;name="a;b"\r\n0123456789\r\n' + chunk(BODY, extension=b";x") + b"1\r\n\n\r\n000;last\r\n\r\n"
    asked = bench.send(bench.chunked_request(body))
    equal("chunked body", asked.upstream.read_chunked(), body)
    bench.answer(asked)


@probe("request.chunked-payload", "design §4 Exactness")
def _(bench: Bench) -> None:
    """A chunked request's payload arrives whole, whatever its framing."""
    asked = bench.send(bench.chunked_request(chunked([b"a", BODY, noise(40_000), b"z"])))
    expected = b"a" + BODY + noise(40_000) + b"z"
    equal("payload", Payload(asked.upstream, asked.head).read(len(expected)), expected)


@probe("request.coding-case", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Transfer-Encoding is understood in any case and arrives as sent."""
    message = bench.request(body=None)
    line = b"transfer-ENCODING:  Chunked "
    asked = bench.send(Message(message.start, (*message.lines, line), chunked([BODY])))
    equal("payload", Payload(asked.upstream, asked.head).read(len(BODY)), BODY)
    bench.answer(asked)


@probe("request.trailers", "design §4 Exactness")
def _(bench: Bench) -> None:
    """Trailers pass, and with them Trailer and TE: trailers."""
    body = chunked([BODY], trailers=(b"X-Checksum: abc", b"x-More:  1"))
    asked = bench.send(bench.chunked_request(body, b"Trailer: X-Checksum, x-More", b"TE: trailers"))
    equal("chunked body", asked.upstream.read_chunked()[-34:], body[-34:])
    equal("Trailer and TE", only(asked.head.lines, "trailer", "te"), (b"Trailer: X-Checksum, x-More", b"TE: trailers"))


@probe("request.expect-continue", "peers 3.1, design §4 Exactness")
def _(bench: Bench) -> None:
    """Expect: 100-continue is the upstream's to answer; the body follows its 100."""
    message = bench.request(lines=(*AGENT_LINES, b"Expect: 100-continue"))
    asked = bench.send(message.head)
    equal("expect", asked.head.values("expect"), (b"100-continue",))
    asked.client.expect_silence(0.2)
    asked.upstream.send(b"HTTP/1.1 100 Continue\r\nX-Interim: yes\r\n\r\n")
    interim = asked.client.read_head("an interim head")
    equal("interim head", interim.raw, b"HTTP/1.1 100 Continue\r\nX-Interim: yes\r\n\r\n")
    asked.client.send(message.body)
    equal("body", asked.upstream.read_body(asked.head), message.body)
    bench.answer(asked)


@probe("request.expect-refused", "design §4 Exactness")
def _(bench: Bench) -> None:
    """A final answer instead of 100 reaches the client, which has sent no body."""
    asked = bench.send(bench.request(lines=(*AGENT_LINES, b"Expect: 100-continue")).head)
    answer = response(b"HTTP/1.1 401 Unauthorized", b"Connection: close", body=b"{}")
    asked.upstream.send(answer.raw)
    equal("status", asked.client.read_head().status, 401)


@probe("request.http10", "design §4 Exactness")
def _(bench: Bench) -> None:
    """An HTTP/1.0 client is served and its connection then ends."""
    message = bench.request()
    asked = bench.ask(Message(message.start.replace(b"HTTP/1.1", b"HTTP/1.0"), message.lines, message.body))
    equal("answer's body", bench.answer(asked, until_end=True).body, OK.body)
    asked.client.expect_end()


@probe("request.byte-by-byte", "design §4 Exactness", deadline_s=30)
def _(bench: Bench) -> None:
    """A request that comes one byte at a time arrives the same."""
    message = bench.chunked_request(chunked([b"abc", b"\r\n0\r\n\r\n"], trailers=(b"X-T: 1",)))
    client = bench.connect()
    client.send_in_pieces(message.raw, 1)
    upstream = bench.next_request(client)
    head = upstream.read_head()
    equal("lines lost", [line for line in end_to_end(message.lines[:-1]) if line not in head.lines], [])
    equal("payload", Payload(upstream, head).read(10), b"abc\r\n0\r\n\r\n")


@probe("request.any-split", "design §4 Exactness", deadline_s=30)
def _(bench: Bench) -> None:
    """Twenty requests on one connection, cut into packets at random, arrive the same."""
    client, cuts = bench.connect(), random.Random(20)
    raw = chunked([BODY, b"\r\n", noise(300), b"x" * 70], trailers=(b"X-T: 1", b"x-t:2"))
    payload = BODY + b"\r\n" + noise(300) + b"x" * 70
    message = bench.chunked_request(raw)
    for _ in range(20):
        client.send_in_pieces(message.raw, cuts.randint(1, 200))
        upstream = bench.next_request(client)
        head = upstream.read_head()
        equal("lines lost", [line for line in end_to_end(message.lines[:-1]) if line not in head.lines], [])
        asked = Asked(client, upstream, head)
        if bench.target.is_ours:
            equal("chunked body", upstream.read_chunked(), raw)
        else:
            found = Payload(upstream, head)
            equal("payload", found.read(len(payload)), payload)
            found.read_last_chunk()
        bench.answer(asked)
