"""Profile `connections`: a client that goes takes along what was done for it, in whatever state it goes."""

from __future__ import annotations

import time
from contextlib import suppress

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.client import BODY
from tests.conformance.harness.findings import EndedError, FindingError, equal
from tests.conformance.harness.messages import chunk, response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Wire
from tests.conformance.probes.fidelity_requests import noise

SECTION = Section("connections")
probe = SECTION.probe

GONE_S = 5.0
"""The contract says 1 s; a loaded machine gets more."""
AHEAD = 120_000
"""More than a proxy reads ahead, less than keeps the FIN behind it from arriving."""
SLOW_S = 3.0
"""How long a slow client looks away."""


def check_gone(upstream: Wire, feed: bytes = b"") -> None:
    """The upstream sees its connection end within the bound; meanwhile it goes on sending `feed`."""
    until = time.monotonic() + GONE_S
    while time.monotonic() < until:
        try:
            upstream.send(feed)
            upstream.expect_silence(0.05)
        except EndedError:
            return
        except FindingError:
            upstream.expect_end()
            return
        except OSError:
            return
    raise FindingError(f"upstream: {GONE_S:.0f} s after the client went its connection still stands")


@probe("connection.client-gone-streaming", "F42")
def _(bench: Bench) -> None:
    """A client that closes inside a stream: the upstream is aborted."""
    stream = bench.open_stream()
    stream.upstream.send(chunk(b"data: 1\n\n"))
    stream.payload.read(9)
    stream.client.close()
    check_gone(stream.upstream, chunk(b"data: more\n\n"))


@probe("connection.client-gone-silent-stream", "F42")
def _(bench: Bench) -> None:
    """A client that closes inside a stream whose upstream is silent: the upstream is aborted."""
    stream = bench.open_stream()
    stream.client.close()
    check_gone(stream.upstream)


@probe("connection.client-gone-waiting", "F42")
def _(bench: Bench) -> None:
    """A client that closes before its answer begins: the upstream is aborted."""
    asked = bench.ask()
    asked.client.close()
    check_gone(asked.upstream)


@probe("connection.client-gone-reset", "F42")
def _(bench: Bench) -> None:
    """A client that resets before its answer begins: the upstream is aborted."""
    asked = bench.ask()
    asked.client.abort()
    check_gone(asked.upstream)


@probe("connection.client-half-closes", "design §4 Connections", ours=True)
def _(bench: Bench) -> None:
    """EOF from the client while its answer is pending counts as gone."""
    asked = bench.ask()
    asked.client.half_close()
    check_gone(asked.upstream)


@probe("connection.client-gone-uploading", "F42, design §4 Connections")
def _(bench: Bench) -> None:
    """A client that goes inside its request body: the upstream sees an unfinished request."""
    message = bench.request(body=BODY)
    asked = bench.send(message.head + BODY[:20])
    equal("first bytes of the body", asked.upstream.read(20), BODY[:20])
    asked.client.close()
    asked.upstream.expect_end()


@probe("connection.client-gone-unread", "F42, F35", deadline_s=30)
def _(bench: Bench) -> None:
    """A client that goes without having read a full pipe: the upstream is aborted."""
    stream = bench.open_stream()
    stream.upstream.send_until_stuck(chunk(bytes(1 << 16)), most=48 << 20)
    stream.client.close()
    with suppress(EndedError, OSError):
        stream.upstream.sock.settimeout(GONE_S)
        for _ in range(10_000):
            stream.upstream.sock.send(bytes(1 << 16))
        raise FindingError("upstream: it could send on and on after the client went")


@probe("connection.client-gone-ahead", "F42, design §4 Connections")
def _(bench: Bench) -> None:
    """A client that goes with much of its next request sent, its answer pending: the upstream is aborted."""
    asked = bench.ask()
    asked.client.send(bench.request(body=noise(AHEAD)).raw)
    asked.client.close()
    check_gone(asked.upstream)


@probe("connection.slow-last-read", "F35, design §4 Connections")
def _(bench: Bench) -> None:
    """An answer behind which the connection ends waits for a client that takes its time."""
    answer = response(b"HTTP/1.1 200 OK", body=noise(2 << 20))
    asked = bench.ask(bench.request(lines=(b"Connection: close",)))
    bench.background(lambda: asked.upstream.send(answer.raw))
    head = asked.client.read_head()
    time.sleep(SLOW_S)
    equal("body", asked.client.read_body(head), answer.body)
    asked.client.expect_end()
