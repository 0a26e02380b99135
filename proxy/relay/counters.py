"""The relay's series on the page: resolved once, then plain additions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proxy.journal.limits import JournalCounters, LossReason
from proxy.model.exchange import Outcome
from proxy.page.memory import Histogram, Page
from proxy.page.table import (
    BYTES,
    CAPPED_BYTES,
    CLIENT_CLOSED,
    CONNECT_SECONDS,
    CONNECTIONS,
    DATA_FREE,
    EXCHANGE_SECONDS,
    EXCHANGES_LOST,
    EXCHANGES_RECORDED,
    FIRST_BYTE_SECONDS,
    IN_FLIGHT,
    JOURNAL_BYTES,
    JOURNAL_OFF,
    JOURNAL_SEGMENTS,
    JOURNAL_WRITES,
    OVERHEAD_SECONDS,
    OWN_ERRORS,
    REQUESTS,
    RESPONSES,
    SHUTDOWN_CUT,
    START_TIME,
    UPSTREAM_CUT,
    Slot,
    Vocabulary,
)
from proxy.relay.refusals import Kind

_CLASSES = ("other", "1xx", "2xx", "3xx", "4xx", "5xx")
_JOURNAL = (EXCHANGES_RECORDED, CAPPED_BYTES, JOURNAL_BYTES, JOURNAL_WRITES, JOURNAL_SEGMENTS)


def vocabulary(upstreams: Iterable[str]) -> Vocabulary:
    """Label values the page needs from the relay's settings."""
    return {"upstream": tuple(upstreams), "kind": tuple(kind.value for kind in Kind)}


class UpstreamSlots(NamedTuple):
    """Series of one upstream."""

    requests: Slot
    responses: tuple[Slot, ...]
    """By hundreds of the status; 0 is everything else."""
    client_closed: Slot
    upstream_cut: Slot
    connect: Histogram
    first_byte: Histogram
    exchange: Histogram


class RelayCounters:
    """Counts on one page."""

    def __init__(self, page: Page, upstreams: Iterable[str], *, start_us: int) -> None:
        self._page = page
        self.add = page.add
        self.observe = page.observe
        self.upstreams = {name: _upstream_slots(page, name) for name in upstreams}
        self.in_flight = page.slot(IN_FLIGHT)
        self.connections = page.slot(CONNECTIONS)
        self.request_bytes = page.slot(BYTES, direction="request")
        self.response_bytes = page.slot(BYTES, direction="response")
        self.overhead = page.histogram(OVERHEAD_SECONDS)
        self._shutdown_cut = page.slot(SHUTDOWN_CUT)
        self._own_errors = {kind: page.slot(OWN_ERRORS, kind=kind.value) for kind in Kind}
        self._journal = tuple(page.slot(metric) for metric in _JOURNAL)
        self._lost = {reason: page.slot(EXCHANGES_LOST, reason=reason.value) for reason in LossReason}
        self._off = page.slot(JOURNAL_OFF)
        self._free = page.slot(DATA_FREE)
        page.set(self.in_flight, 0)
        page.set(self.connections, 0)
        page.set(page.slot(START_TIME), start_us)

    def own_error(self, kind: Kind) -> None:
        """We answered ourselves."""
        self.add(self._own_errors[kind], 1)

    def ended(self, slots: UpstreamSlots, outcome: Outcome) -> None:
        """An exchange ended otherwise than complete."""
        if outcome is Outcome.CLIENT_CLOSED:
            self.add(slots.client_closed, 1)
        elif outcome is Outcome.UPSTREAM_CUT:
            self.add(slots.upstream_cut, 1)
        elif outcome is Outcome.SHUTDOWN:
            self.add(self._shutdown_cut, 1)

    def mirror_journal(self, counters: JournalCounters) -> None:
        """Copy the journal's own counters, so that one page tells everything."""
        mirror = self._page.mirror
        for slot, value in zip(
            self._journal,
            (
                counters.exchanges,
                counters.capped_bytes,
                counters.bytes_written,
                counters.writes,
                counters.segments,
            ),
            strict=True,
        ):
            mirror(slot, value)
        for reason, lost in counters.lost.items():
            mirror(self._lost[reason], lost)
        self._page.set(self._off, int(counters.switched_off is not None))
        if counters.free_bytes is not None:
            self._page.set(self._free, counters.free_bytes)


def _upstream_slots(page: Page, name: str) -> UpstreamSlots:
    return UpstreamSlots(
        requests=page.slot(REQUESTS, upstream=name),
        responses=tuple(page.slot(RESPONSES, upstream=name, **{"class": each}) for each in _CLASSES),
        client_closed=page.slot(CLIENT_CLOSED, upstream=name),
        upstream_cut=page.slot(UPSTREAM_CUT, upstream=name),
        connect=page.histogram(CONNECT_SECONDS, upstream=name),
        first_byte=page.histogram(FIRST_BYTE_SECONDS, upstream=name),
        exchange=page.histogram(EXCHANGE_SECONDS, upstream=name),
    )
