from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.intercept.exchange import Desk, Exchange, Request
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome
from proxy.page.memory import Page, PageReader, Sample
from proxy.relay.counters import RelayCounters, vocabulary
from proxy.relay.refusals import Kind
from tests.support.journal import StillClock, read_all, small

REQUEST = Request("a", "tag", "POST", "/v1", (("host", "x"),))


class Table:
    """A desk, and what stands on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.clock = folder, StillClock()
        self.journal = JournalWriter(folder / "journal", settings=small(), clock=self.clock)
        self.page = Page(folder / "page", vocabulary(["a"]))
        self.desk = Desk(self.journal, RelayCounters(self.page, ["a"], start_us=1), self.clock)

    def value(self, name: str, **labels: str) -> float:
        samples = [value for value in PageReader(self.folder / "page").read() if isinstance(value, Sample)]
        return next(s.value for s in samples if s.metric.name == name and labels.items() <= dict(s.labels).items())


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.journal.close()
    made.page.close()


def test_an_exchange_of_known_length_is_complete_with_its_last_byte(table: Table) -> None:
    exchange = Exchange(table.desk, REQUEST)
    assert exchange.request_piece(b"ask") == b"ask"
    exchange.request_done()
    exchange.response_head(200, (), length=4)
    assert exchange.response_piece(b"an") == b"an"
    assert table.value("compaction_relay_in_flight") == 1
    assert exchange.response_piece(b"sw") == b"sw"
    assert table.value("compaction_relay_in_flight") == 0
    (found,) = read_all(table.folder / "journal")
    assert (found.door, found.tag, found.request_body, found.response_body) == ("intercept", "tag", b"ask", b"answ")
    assert (found.outcome, found.request_complete, found.response_complete) == (Outcome.COMPLETE, True, True)
    assert table.value("compaction_relay_responses_total", **{"class": "2xx"}) == 1


def test_it_ends_once_and_takes_nothing_more(table: Table) -> None:
    exchange = Exchange(table.desk, REQUEST)
    exchange.finish(Outcome.CLIENT_CLOSED)
    exchange.finish(Outcome.COMPLETE)
    exchange.request_done()
    assert exchange.response_piece(b"late") == b"late"
    assert exchange.request_piece(b"late") == b"late"
    exchange.spliced_piece(b"late", from_client=True)
    assert [found.outcome for found in read_all(table.folder / "journal")] == [Outcome.CLIENT_CLOSED]
    assert table.value("compaction_relay_in_flight") == 0
    assert table.value("compaction_relay_client_closed_total") == 1


def test_a_spliced_exchange_keeps_the_bytes_of_each_direction(table: Table) -> None:
    exchange = Exchange(table.desk, REQUEST)
    exchange.response_head(101, (), length=None)
    exchange.splice()
    exchange.spliced_piece(b"ping", from_client=True)
    exchange.spliced_piece(b"pong", from_client=False)
    exchange.finish(Outcome.COMPLETE)
    (found,) = read_all(table.folder / "journal")
    assert (found.request_body, found.response_body) == (b"ping", b"pong")


def test_errors_that_would_be_counted_only_in_part_are_not_counted(table: Table) -> None:
    table.desk.own_error(Kind.TOKEN)
    table.desk.own_error(Kind.BAD_FRAMING)
    assert table.value("compaction_relay_own_errors_total", kind="token") == 1
    assert table.value("compaction_relay_own_errors_total", kind="bad_framing") == 0
