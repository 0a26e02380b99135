"""Profile `connections`: how our relay ends."""

from __future__ import annotations

import signal
import socket
import time
from dataclasses import replace

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.findings import FindingError, equal, true
from tests.conformance.harness.messages import OK, chunk
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import PATIENCE_S
from tests.conformance.ours.relay import OwnRelay, plain, running
from tests.conformance.probes.fidelity_codings import EVENTS
from tests.conformance.probes.streaming import in_turn

SECTION = Section("connections", is_ours=True)
probe = SECTION.probe

REFERENCE = "design §4 Connections"


def start(bench: Bench, drain_s: float) -> OwnRelay:
    """A relay that may be told to end."""
    relay = bench.enter(running(replace(plain(bench.upstream.port), drain_s=drain_s)))
    bench.target = relay.target
    return relay


def tell_to_end(relay: OwnRelay) -> None:
    """SIGTERM; returns once nobody accepts any more."""
    relay.process.send_signal(signal.SIGTERM)
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            socket.create_connection((relay.target.host, relay.target.port), timeout=1.0).close()
        except OSError:
            return
        time.sleep(0.02)
    raise FindingError(f"{PATIENCE_S:.0f} s after SIGTERM connections are still accepted")


@probe("drain.stream-ends", REFERENCE)
def _(bench: Bench) -> None:
    """SIGTERM: nobody new is accepted, a stream under way goes on to its end, then the process ends with 0."""
    relay = start(bench, drain_s=60)
    stream = bench.open_stream()
    in_turn(stream, EVENTS[:2])
    tell_to_end(relay)
    in_turn(stream, EVENTS[2:])
    stream.upstream.send(b"0\r\n\r\n")
    stream.payload.read_last_chunk()
    stream.client.expect_end()
    equal("exit code", relay.process.wait(PATIENCE_S), 0)


@probe("drain.waiting", REFERENCE)
def _(bench: Bench) -> None:
    """SIGTERM: a request whose answer has not begun is answered."""
    relay = start(bench, drain_s=60)
    asked = bench.ask()
    tell_to_end(relay)
    equal("body", bench.answer(asked).body, OK.body)
    asked.client.expect_end()
    equal("exit code", relay.process.wait(PATIENCE_S), 0)


@probe("drain.idle", REFERENCE)
def _(bench: Bench) -> None:
    """SIGTERM: idle connections do not hold the end up."""
    relay = start(bench, drain_s=60)
    asked = bench.ask()
    bench.answer(asked)
    unused = bench.connect()
    tell_to_end(relay)
    asked.client.expect_end()
    asked.upstream.expect_end()
    unused.expect_end()
    equal("exit code", relay.process.wait(PATIENCE_S), 0)


@probe("drain.cut", REFERENCE)
def _(bench: Bench) -> None:
    """A stream that outlives the drain is cut, and seen as cut on both sides."""
    relay = start(bench, drain_s=0.3)
    stream = bench.open_stream()
    in_turn(stream, EVENTS[:1])
    tell_to_end(relay)
    ending = stream.client.read_to_end()
    true("no last chunk is invented", not ending.data.endswith(b"0\r\n\r\n"))
    stream.upstream.expect_end()
    equal("exit code", relay.process.wait(PATIENCE_S), 0)


@probe("drain.inherited", REFERENCE)
def _(bench: Bench) -> None:
    """A successor that inherits the listening socket takes who comes while the other drains: nobody is refused."""
    listener = bench.enter(socket.create_server(("127.0.0.1", 0)))
    spec = replace(plain(bench.upstream.port), drain_s=60, listen_fd=listener.fileno())
    first = bench.enter(running(spec))
    bench.target = first.target
    stream = bench.open_stream()
    first.process.send_signal(signal.SIGTERM)
    bench.enter(running(spec))
    equal("body", bench.exchange().body, OK.body)
    in_turn(stream, EVENTS)
    stream.upstream.send(b"0\r\n\r\n")
    stream.client.read_to_end()
    equal("exit code", first.process.wait(PATIENCE_S), 0)
    equal("body", bench.exchange().body, OK.body)


@probe("drain.next-request", REFERENCE)
def _(bench: Bench) -> None:
    """While draining, a connection takes no further request."""
    relay = start(bench, drain_s=60)
    stream = bench.open_stream()
    tell_to_end(relay)
    stream.client.send(bench.request().raw)
    stream.upstream.send(chunk(EVENTS[0]) + b"0\r\n\r\n")
    stream.payload.read(len(EVENTS[0]))
    stream.payload.read_last_chunk()
    stream.client.read_to_end()
    equal("more bytes at the upstream", stream.upstream.arrived() + bench.upstream.seen(bench.deadline), b"")
