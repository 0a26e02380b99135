"""Profile `accounts`: what our relay says of an exchange afterwards agrees with what its two ends saw."""

from __future__ import annotations

import gzip
import os
import signal
import time
from dataclasses import replace
from pathlib import Path

from proxy.journal.reader import JournalReader
from proxy.model.exchange import Exchange, Outcome
from proxy.page.memory import PageReader, Sample
from tests.conformance.harness.bench import Bench
from tests.conformance.harness.client import BODY
from tests.conformance.harness.findings import FindingError, RefusedError, equal, true
from tests.conformance.harness.messages import STREAM_HEAD, Message, chunk, chunked, response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import PATIENCE_S
from tests.conformance.ours.errors import mute_port
from tests.conformance.ours.relay import OwnRelay, running, usual
from tests.conformance.probes.fidelity_codings import EVENTS
from tests.conformance.probes.streaming import OPEN_HEAD, in_turn
from tests.conformance.probes.websocket import spliced

SECTION = Section("accounts", is_ours=True)
probe = SECTION.probe

IN_FLIGHT = "compaction_relay_in_flight"


def start(bench: Bench) -> OwnRelay:
    """A relay whose journal and page are read afterwards."""
    relay = bench.enter(running(usual(bench.upstream.port)))
    bench.target = relay.target
    return relay


def ended(relay: OwnRelay) -> list[Exchange]:
    """What the journal says has ended, now."""
    return list(JournalReader(relay.folder / "journal").poll())


def the_one(relay: OwnRelay) -> Exchange:
    """The one exchange there was, waited for."""
    until = time.monotonic() + PATIENCE_S
    while not (found := ended(relay)):
        if time.monotonic() > until:
            raise FindingError("the journal does not tell of an exchange that ended")
        time.sleep(0.02)
    equal("exchanges in the journal", len(found), 1)
    return found[0]


def gauge(relay: OwnRelay, name: str) -> float | None:
    """A gauge of the relay's page; None when it is not there."""
    samples = PageReader(relay.folder / "relay.page").read()
    return next((each.value for each in samples if isinstance(each, Sample) and each.metric.name == name), None)


@probe("account.bodies", "F26, F31, design §5")
def _(bench: Bench) -> None:
    """Both bodies stand in the journal as sent: transfer coding removed, content coding kept."""
    relay = start(bench)
    packed = gzip.compress(b"".join(EVENTS), mtime=0)
    asked = bench.send(bench.chunked_request(chunked([BODY[:7], BODY[7:]], trailers=(b"X-T: 1",))))
    asked.upstream.read_chunked()
    head = Message(STREAM_HEAD.start, (*STREAM_HEAD.lines, b"Content-Encoding: gzip"))
    bench.answer(asked, Message(head.start, head.lines, chunked([packed[:9], packed[9:]])))
    found = the_one(relay)
    equal("request body", found.request_body, BODY)
    equal("response body", found.response_body, packed)
    equal("outcome", (found.outcome, found.status, found.response_complete), (Outcome.COMPLETE, 200, True))


@probe("account.before-the-last-byte", "design §5 Journal")
def _(bench: Bench) -> None:
    """When a client holds the last byte of its answer, the journal holds the whole exchange already."""
    relay = start(bench)
    client = bench.connect()
    for number in range(1, 31):
        bench.answer(bench.ask(client=client))
        equal("exchanges that have ended", len(ended(relay)), number)


@probe("account.client-closed", "F45")
def _(bench: Bench) -> None:
    """A client that goes is `client_closed`, not a fault of the provider."""
    relay = start(bench)
    stream = bench.open_stream()
    stream.upstream.send(chunk(EVENTS[0]))
    equal("piece", stream.payload.read(len(EVENTS[0])), EVENTS[0])
    stream.client.close()
    found = the_one(relay)
    equal("outcome", (found.outcome, found.response_complete), (Outcome.CLIENT_CLOSED, False))


@probe("account.client-closed-waiting", "F45")
def _(bench: Bench) -> None:
    """A client that goes before its answer begins is `client_closed` too."""
    relay = start(bench)
    bench.ask().client.close()
    equal("outcome", the_one(relay).outcome, Outcome.CLIENT_CLOSED)


@probe("account.client-closed-dialling", "F44, F45")
def _(bench: Bench) -> None:
    """A client that goes while its upstream connection is still being made is `client_closed`, at once."""
    spec = replace(usual(bench.enter(mute_port())), connect_timeout_s=60.0)
    relay = bench.enter(running(spec))
    bench.target = relay.target
    client = bench.connect()
    client.send(bench.request().raw)
    client.expect_silence(0.2)
    client.close()
    equal("outcome", the_one(relay).outcome, Outcome.CLIENT_CLOSED)
    equal("in flight", gauge(relay, IN_FLIGHT), 0)


@probe("account.client-broke-framing", "F45")
def _(bench: Bench) -> None:
    """A client that breaks its own framing while the answer streams is not told as a fault of the provider."""
    relay = start(bench)
    asked = bench.send(bench.chunked_request(chunk(BODY)))
    asked.upstream.send(STREAM_HEAD.head)
    equal("status", asked.client.read_head().status, 200)
    asked.client.send(b"xyz\r\n")
    asked.client.read_to_end()
    found = the_one(relay)
    true(f"outcome {found.outcome}", found.outcome is not Outcome.UPSTREAM_CUT)


def cut_probe(name: str, sentence: str, sent: bytes) -> None:
    def work(bench: Bench) -> None:
        relay = start(bench)
        asked = bench.ask()
        asked.upstream.send(sent)
        if sent:
            asked.client.read_head()
            asked.client.read_until(EVENTS[-1], "the terminal event")
        asked.upstream.abort()
        asked.client.read_to_end()
        found = the_one(relay)
        equal("outcome", (found.outcome, found.response_complete), (Outcome.UPSTREAM_CUT, False))

    SECTION.add(f"account.{name}", "F13, F14", sentence, work)


for _cut in (
    ("cut", "A body cut by the upstream is `upstream_cut`, whatever its status", STREAM_HEAD.head + chunk(EVENTS[-1])),
    ("cut-close-delimited", "A reset inside a close-delimited body is `upstream_cut`", OPEN_HEAD.head + EVENTS[-1]),
    ("unanswered", "An upstream that resets without an answer is `upstream_cut`", b""),
):
    cut_probe(*_cut)


@probe("account.zero-bytes", "F18")
def _(bench: Bench) -> None:
    """A 200 of zero bytes is told as such."""
    relay = start(bench)
    bench.exchange(answer=response(b"HTTP/1.1 200 OK", b"Content-Type: text/event-stream"))
    found = the_one(relay)
    equal("what is told", (found.status, found.response_body, found.outcome), (200, b"", Outcome.COMPLETE))


@probe("account.refused", "F19, F20")
def _(bench: Bench) -> None:
    """What the relay answers itself is never told as an answer of the provider."""
    relay = start(bench)
    bench.refused(bench.request(target=b"/dead/v1/messages").raw)
    found = the_one(relay)
    true(f"outcome {found.outcome}", found.outcome in {Outcome.REFUSED, Outcome.UPSTREAM_CUT})
    equal("the provider's status", found.status, None)


@probe("account.in-flight", "F44")
def _(bench: Bench) -> None:
    """The in-flight gauge counts what is pending, and is 0 again after every kind of end."""
    relay = start(bench)
    bench.exchange()
    pending = [bench.open_stream() for _ in range(5)]
    equal("in flight, five pending", gauge(relay, IN_FLIGHT), 5)
    pending[0].client.close()
    pending[1].client.abort()
    pending[2].upstream.close()
    pending[3].upstream.abort()
    pending[4].upstream.send(b"0\r\n\r\n")
    bench.ask().client.close()
    try:
        bench.exchange(bench.request(target=b"/dead/x"))
    except RefusedError:
        bench.refused(b"GET / HTTP/1.1\r\n\r\n")
    until = time.monotonic() + PATIENCE_S
    while gauge(relay, IN_FLIGHT) and time.monotonic() < until:
        time.sleep(0.02)
    equal("in flight, none pending", gauge(relay, IN_FLIGHT), 0)


@probe("account.recording-off", "F04")
def _(bench: Bench) -> None:
    """Recording changes no order: with it switched off 200 events pass one by one too, and none is written."""
    relay = bench.enter(running(replace(usual(bench.upstream.port), is_recorded=False)))
    bench.target = relay.target
    in_turn(bench.open_stream(), tuple(b"data: %d\n\n" % number for number in range(200)))
    equal("exchanges in the journal", ended(relay), [])


def descriptors(relay: OwnRelay) -> int:
    """How many files and sockets the relay has open."""
    return len(list(Path(f"/proc/{relay.process.pid}/fd").iterdir()))


@probe("account.descriptors", "F44, design §4 Connections", deadline_s=60)
def _(bench: Bench) -> None:
    """After a hundred exchanges of every kind of end no socket and no file is left open."""
    relay = start(bench)
    end_in_every_way(bench)
    before = descriptors(relay)
    for _ in range(16):
        end_in_every_way(bench)
    until = time.monotonic() + PATIENCE_S
    while (after := descriptors(relay)) > before and time.monotonic() < until:
        time.sleep(0.02)
    true(f"{after} descriptors are open, {before} at the beginning", after <= before)


def end_in_every_way(bench: Bench) -> None:
    """Seven exchanges that end differently; their clients are gone afterwards."""
    whole, cut, unanswered = bench.ask(), bench.open_stream(), bench.ask()
    bench.answer(whole)
    cut.upstream.abort()
    unanswered.upstream.close()
    for client in (whole.client, cut.client, unanswered.client):
        client.close()
    bench.open_stream().client.close()
    bench.ask().client.abort()
    bench.refused(bench.request(target=b"/dead/x").raw)
    bench.refused(b"GET / HTTP/1.1\r\n\r\n")


@probe("account.memory", "F35, design §4 Connections", deadline_s=60)
def _(bench: Bench) -> None:
    """Eight clients that do not read and eight upstreams that do not read cost no more than 1 MiB each."""
    relay = start(bench)
    end_in_every_way(bench)
    before = resident(relay)
    unread = Message(b"HTTP/1.1 200 OK", (b"Content-Length: %d" % (1 << 30),))
    upload = bench.request(lines=(b"Content-Length: %d" % (1 << 30),), body=None)
    senders = [bench.open_stream(unread).upstream for _ in range(8)] + [bench.send(upload).client for _ in range(8)]
    for sender in senders:
        sender.send_until_stuck(bytes(1 << 20), most=64 << 20, stuck_s=0.2)
    grown = resident(relay) - before
    true(f"resident memory grew by {grown >> 20} MiB, expected at most 16", grown <= 16 << 20)


def resident(relay: OwnRelay) -> int:
    """Resident memory of the relay, in bytes."""
    pages = int(Path(f"/proc/{relay.process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@probe("account.websocket", "F36, design §5 Journal")
def _(bench: Bench) -> None:
    """What passes both ways behind an accepted upgrade stands in the journal, whole when the upstream ends it."""
    relay = start(bench)
    asked = spliced(bench)
    asked.client.send(b"from the client")
    equal("bytes at the upstream", asked.upstream.read(15), b"from the client")
    asked.upstream.send(b"from the upstream")
    asked.upstream.close()
    equal("bytes at the client", asked.client.read_to_end().data, b"from the upstream")
    found = the_one(relay)
    equal("request side", found.request_body, b"from the client")
    equal("response side", found.response_body, b"from the upstream")
    equal("outcome", (found.status, found.outcome), (101, Outcome.COMPLETE))


@probe("account.shutdown", "design §4 Connections")
def _(bench: Bench) -> None:
    """A stream cut by the relay's own end is `shutdown`."""
    relay = start(bench)
    bench.open_stream().upstream.send(chunk(EVENTS[0]))
    relay.process.send_signal(signal.SIGTERM)
    relay.process.wait(PATIENCE_S)
    found = the_one(relay)
    equal("outcome", (found.outcome, found.response_complete), (Outcome.SHUTDOWN, False))
