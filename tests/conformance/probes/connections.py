"""Profile `connections`: who is connected to whom, and what one side's going does to the other."""

from __future__ import annotations

from contextlib import suppress

from tests.conformance.harness.bench import Asked, Bench
from tests.conformance.harness.findings import EndedError, FindingError, RefusedError, equal, short, true
from tests.conformance.harness.messages import OK, STREAM_HEAD, chunk, response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Payload, Wire
from tests.conformance.probes.fidelity_requests import noise

SECTION = Section("connections")
probe = SECTION.probe


def numbered(number: int) -> bytes:
    """A body by which requests and answers are told apart."""
    return b'{"number": %d}' % number


@probe("connection.keep-alive", "design §4 Connections")
def _(bench: Bench) -> None:
    """Five requests one after the other on one client connection."""
    client = bench.connect()
    for number in range(5):
        asked = bench.ask(bench.request(body=numbered(number)), client=client)
        equal("body", bench.answer(asked, response(b"HTTP/1.1 200 OK", body=numbered(number))).body, numbered(number))


@probe("connection.pipelining", "peers 3.1, design §4 Exactness")
def _(bench: Bench) -> None:
    """Four requests sent at once are answered in their order."""
    client = bench.connect()
    client.send(b"".join(bench.request(body=numbered(number)).raw for number in range(4)))
    for number in range(4):
        upstream = bench.next_request(client)
        head = upstream.read_head()
        equal("request body", upstream.read_body(head), numbered(number))
        asked = Asked(client, upstream, head)
        equal("body", bench.answer(asked, response(b"HTTP/1.1 200 OK", body=numbered(number))).body, numbered(number))


@probe("connection.pipelined-large", "design §4 Connections")
def _(bench: Bench) -> None:
    """A megabyte sent behind a request whose answer is pending is neither lost nor mixed in."""
    first, second = bench.request(), bench.request(body=noise(1 << 20))
    asked = bench.ask(first)
    bench.background(lambda: asked.client.send(second.raw))
    asked.upstream.expect_silence(0.3)
    bench.answer(asked)
    upstream = bench.next_request(asked.client)
    head = upstream.read_head()
    equal("second body", upstream.read_body(head), second.body)
    bench.answer(Asked(asked.client, upstream, head))


@probe("connection.not-shared", "design §4 Connections")
def _(bench: Bench) -> None:
    """No pool: a second client's request never travels on the first one's upstream connection."""
    first = bench.ask()
    bench.answer(first)
    second = bench.ask()
    true("both clients' requests came on one upstream connection", first.upstream is not second.upstream)


@probe("connection.upstream-ends", "design §4 Connections", ours=True)
def _(bench: Bench) -> None:
    """When an idle upstream connection ends, so does its client's."""
    asked = bench.ask()
    bench.answer(asked)
    asked.upstream.close()
    asked.client.expect_end()


@probe("connection.upstream-says-close", "design §4 Connections", ours=True)
def _(bench: Bench) -> None:
    """Connection: close of the upstream ends the client's connection behind the answer, in order."""
    asked = bench.ask()
    bench.answer(asked, response(b"HTTP/1.1 200 OK", b"Connection: close", body=b"{}"), until_end=True)
    true("the connection ends by FIN", not asked.client.expect_end().was_reset)


@probe("connection.client-says-close", "design §4 Connections")
def _(bench: Bench) -> None:
    """Connection: close of the client ends its connection behind the answer, in order."""
    asked = bench.ask(bench.request(lines=(b"Connection: close",)))
    equal("body", bench.answer(asked).body, OK.body)
    true("the connection ends by FIN", not asked.client.expect_end().was_reset)


@probe("connection.client-ends", "design §4 Connections")
def _(bench: Bench) -> None:
    """When an idle client goes, its upstream connection goes."""
    asked = bench.ask()
    bench.answer(asked)
    asked.client.close()
    asked.upstream.expect_end()


@probe("connection.no-retry", "F41")
def _(bench: Bench) -> None:
    """An upstream that takes the request and closes without a word has seen it exactly once."""
    asked = bench.ask()
    asked.upstream.close()
    check_not_repeated(bench, asked.client)


@probe("connection.no-retry-reset", "F41")
def _(bench: Bench) -> None:
    """An upstream that takes the request and resets has seen it exactly once."""
    asked = bench.ask()
    asked.upstream.abort()
    check_not_repeated(bench, asked.client)


@probe("connection.no-retry-reused", "F41, design §4 Connections")
def _(bench: Bench) -> None:
    """An upstream that closes on the second request of a connection has seen it exactly once."""
    first = bench.ask()
    bench.answer(first)
    second = bench.ask(client=first.client)
    second.upstream.close()
    check_not_repeated(bench, second.client)


@probe("connection.no-retry-get", "F41, design §4 Connections")
def _(bench: Bench) -> None:
    """An upstream that closes on a GET, which others repeat, has seen it exactly once."""
    asked = bench.ask(bench.request(method=b"GET", body=None))
    asked.upstream.close()
    check_not_repeated(bench, asked.client)


def check_not_repeated(bench: Bench, client: Wire) -> None:
    """The client learns that there is no answer, by a gateway's error or an end; nobody asks the upstream again."""
    with suppress(RefusedError):
        again = bench.next_request(client)
        raise FindingError(f"the request was sent again: the upstream saw {short(again.peek())}")
    try:
        head = client.read_head("an answer or the end")
    except EndedError:
        return
    expected = {502, 504} if bench.target.is_ours else range(500, 600)
    true(f"answer {head.start!r}, expected 502 or 504", head.status in expected)
    equal("connections at the upstream", bench.upstream.connections(), 0)


@probe("connection.early-answer", "design §4 Connections")
def _(bench: Bench) -> None:
    """An answer given before the request body is whole reaches the client."""
    message = bench.request(body=noise(4 << 20))
    client = bench.connect()
    bench.background(lambda: client.send(message.raw), may_fail=True)
    upstream = bench.next_request(client)
    upstream.read_head()
    answer = response(b"HTTP/1.1 413 Payload Too Large", b"Connection: close", body=b'{"type":"error"}')
    upstream.send(answer.raw)
    upstream.half_close()
    head = client.read_head("the early answer")
    equal("answer", (head.status, client.read_body(head)), (413, answer.body))


@probe("connection.upstream-half-closes", "design §4 Connections")
def _(bench: Bench) -> None:
    """An upstream that half-closes behind its answer has answered."""
    asked = bench.ask()
    asked.upstream.send(OK.raw)
    asked.upstream.half_close()
    head = asked.client.read_head()
    equal("body", asked.client.read_body(head), OK.body)


@probe("connection.interleaved", "design §4 Connections")
def _(bench: Bench) -> None:
    """Twenty clients answered in the opposite order each get their own answer."""
    asked = [bench.ask(bench.request(body=numbered(number))) for number in range(20)]
    for number in reversed(range(20)):
        found = bench.answer(asked[number], response(b"HTTP/1.1 200 OK", body=numbered(number)))
        equal("body", found.body, numbered(number))


@probe("connection.after-a-stream", "design §4 Connections")
def _(bench: Bench) -> None:
    """A connection that carried a whole stream carries the next request."""
    stream = bench.open_stream()
    stream.upstream.send(chunk(b"data: 1\n\n") + b"0\r\n\r\n")
    equal("payload", stream.payload.read(9), b"data: 1\n\n")
    stream.payload.read_last_chunk()
    asked = bench.ask(client=stream.client)
    asked.upstream.send(STREAM_HEAD.head)
    equal("status", asked.client.read_head().status, 200)


@probe("connection.slow-head", "design §4 Connections")
def _(bench: Bench) -> None:
    """A head that comes in two parts, with a pause inside a line, is waited for."""
    message = bench.request()
    client = bench.connect()
    client.send(message.raw[:25])
    client.expect_silence(0.5)
    asked = bench.send(message.raw[25:], client=client)
    equal("body", Payload(asked.upstream, asked.head).read(len(message.body)), message.body)
