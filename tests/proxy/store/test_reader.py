from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.journal.layout import Mark
from proxy.model.errors import UsageError
from proxy.model.facts import CallFact, ExchangeFact, ExchangeKind, IterationFact, Label, SessionFact, TurnFact
from proxy.model.ids import SessionId, session_id
from proxy.store import Commit, Content, Database, StateChange, Total, Writer, snapshot
from tests.support.store import MAIN, SESSION, START_US, WRITER, a_commit, a_fact, an_exchange

OTHER = SessionId("5" * 8 + "6" * 24)


@pytest.fixture
def filled(database: Database, writer: Writer) -> Database:
    """Three turns of one session, one of another, which was active last."""
    for number in (1, 2, 3):
        writer.commit(a_commit(number))
    writer.commit(a_commit(4, session=OTHER, turn=1))
    return database


def test_facts_come_ordered_by_key(filled: Database) -> None:
    with snapshot(filled) as reader:
        found = reader.facts(CallFact)
        assert [(call.session, call.turn, call.index) for call in found] == sorted(
            (call.session, call.turn, call.index) for call in found
        )
        assert [turn.turn for turn in reader.facts(TurnFact, session=SESSION)] == [1, 2, 3]
        assert reader.facts(TurnFact, session=SESSION, turn=2)[0].number == 2
        assert reader.facts(CallFact, boundary=7) == []
        assert len(reader.facts(CallFact, boundary=None)) == 8


def test_facts_can_be_asked_by_enum(filled: Database) -> None:
    with snapshot(filled) as reader:
        assert len(reader.facts(CallFact, label=Label.PENDING, session=OTHER)) == 2


def test_text_is_ordered_by_code_point_whatever_the_database(database: Database, writer: Writer) -> None:
    for number, name in enumerate("bBaA_é", start=1):
        writer.commit(a_commit(number, session=SessionId(name), turn=1))
    with snapshot(database) as reader:
        assert [turn.session for turn in reader.facts(TurnFact)] == sorted("bBaA_é")


def test_sessions_come_latest_first(filled: Database) -> None:
    with snapshot(filled) as reader:
        assert [session.session for session in reader.sessions()] == [OTHER, SESSION]
        assert [session.session for session in reader.sessions(since_us=START_US + 4_000_000)] == [OTHER]
        assert [session.session for session in reader.sessions(prefix="5" * 9)] == [SESSION]
        assert [session.session for session in reader.sessions(limit=1)] == [OTHER]


def test_a_session_is_found_by_unique_prefix_or_as_the_last(filled: Database) -> None:
    with snapshot(filled) as reader:
        assert reader.session("last").session == OTHER
        assert reader.session("5" * 9).session == SESSION
        assert reader.session(OTHER).session == OTHER


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        ("555", "2 sessions are '555' or begin so: 555555556666, 555555555555"),
        ("77", "no session is '77' or begins so"),
    ],
)
def test_a_reference_to_none_or_several_says_so(filled: Database, reference: str, said: str) -> None:
    with snapshot(filled) as reader, pytest.raises(UsageError, match=said):
        reader.session(reference)


@pytest.mark.parametrize("name", ["nightly-42", "nächtlich"])
def test_a_session_is_found_by_the_name_its_client_gave_it_in_and_outside_of_runs(
    database: Database, writer: Writer, name: str
) -> None:
    header = name.encode().decode("latin-1")
    own, in_a_run = session_id("", header), session_id("a1", header)
    writer.commit(a_commit(1, session=own))
    with snapshot(database) as reader:
        assert reader.session(name).session == own
    commit = a_commit(2, session=in_a_run, turn=1)
    writer.commit(replace(commit, facts=[a_fact(SessionFact, session=in_a_run, run="a1"), *commit.facts[1:]]))
    with snapshot(database) as reader, pytest.raises(UsageError, match="2 sessions are"):
        reader.session(name)


@pytest.mark.parametrize("reference", ["%", "_", "5%"])
def test_a_reference_is_no_pattern(filled: Database, reference: str) -> None:
    with snapshot(filled) as reader, pytest.raises(UsageError):
        reader.session(reference)


def test_an_empty_store_has_no_last_session(database: Database) -> None:
    with snapshot(database) as reader, pytest.raises(UsageError, match="no session yet"):
        reader.session("last")


def test_counts_are_by_group(filled: Database) -> None:
    with snapshot(filled) as reader:
        assert reader.counts(CallFact, "session", "label") == {(SESSION, "pending"): 6, (OTHER, "pending"): 2}
        assert reader.counts(CallFact, "label", session=OTHER) == {("pending",): 2}
        assert reader.counts(CallFact, label=Label.REACQUISITION) == {(): 0}


def test_a_group_may_be_a_column_of_the_session(filled: Database) -> None:
    with snapshot(filled) as reader:
        assert reader.counts(TurnFact, "client", "model_answered") == {("claude-code", "claude-x"): 4}
        assert reader.totals(IterationFact, "cache_read", "client", session=OTHER) == {
            ("claude-code",): Total(20_000, 1, 0)
        }


def test_sums_are_exact_beyond_64_bits_and_tell_what_they_leave_out(database: Database, writer: Writer) -> None:
    prices = [2**63 - 1, 2**63 - 2, 7, None]
    change = replace(a_commit(1), facts=a_commit(1).facts)
    rows = [
        a_fact(IterationFact, writer=WRITER, number=1, iteration=place, session=SESSION, thread=MAIN, pico_usd=price)
        for place, price in enumerate(prices)
    ]
    writer.commit(replace(change, facts=(*change.facts, *rows)))
    with snapshot(database) as reader:
        assert reader.totals(IterationFact, "pico_usd") == {(): Total(2**64 + 4, 3, 1)}
        assert reader.totals(IterationFact, "pico_usd", session=OTHER) == {(): Total(None, 0, 0)}


def test_the_latest_of_each_group_is_found(filled: Database) -> None:
    with snapshot(filled) as reader:
        opened = {fact.opened_us for fact in reader.each(ExchangeFact)}
        assert set(reader.latest(ExchangeFact, "opened_us", "upstream").values()) == {max(opened)}


def test_writers_come_in_the_order_of_their_first_exchanges(database: Database, writer: Writer) -> None:
    for name, opened in (("1" * 32, 30), ("2" * 32, 10), ("3" * 32, 20)):
        exchange = replace(an_exchange(1, session=None, writer=name), opened_us=opened)
        writer.commit(replace(a_commit(1, writer=name), exchange=exchange, facts=(), state=None))
    with snapshot(database) as reader:
        assert reader.writers() == ["2" * 32, "3" * 32, "1" * 32]


def test_events_hold_what_was_billed_once(database: Database, writer: Writer) -> None:
    """A turn of two calls, and a failed attempt that was billed: the sum over events is the sum over iterations."""
    writer.commit(a_commit(1))
    attempt = an_exchange(2, turn=2, kind=ExchangeKind.ATTEMPT, reason="overloaded_error", duration_us=5)
    billed = a_fact(
        IterationFact, writer=WRITER, number=2, iteration=0, session=SESSION, thread=MAIN, uncached=11, output=1
    )
    writer.commit(replace(a_commit(2, version=1), exchange=attempt, facts=(billed,)))
    with snapshot(database) as reader:
        events = reader.events(SESSION)
    assert [event["event_id"] for event in events] == [
        f"{SESSION}/main/1/0",
        f"{SESSION}/main/1/1",
        f"{WRITER}/2",
    ]
    assert [event["input_tokens"] for event in events] == [20_100, None, 11]
    assert [event["tool"] for event in events] == ["Read", "Read", None]
    assert [event["error_type"] for event in events] == ["", "", "overloaded_error"]
    assert [event["reacquisition"] for event in events] == [0, 0, 0]


def test_a_summary_call_is_compaction_and_a_turn_without_calls_is_an_event(database: Database, writer: Writer) -> None:
    change = a_commit(1)
    facts = [fact for fact in change.facts if not isinstance(fact, CallFact)]
    facts = [replace(fact, purpose="summary") if isinstance(fact, TurnFact) else fact for fact in facts]
    writer.commit(replace(change, facts=facts))
    with snapshot(database) as reader:
        (event,) = reader.events(SESSION)
    assert (event["tool"], event["compaction_tokens"], event["cache_read_tokens"]) == (None, 20_400, 20_000)
    assert event["ended_us"] - event["started_us"] == 900_000


def test_the_contents_of_one_session_are_its_own(database: Database, writer: Writer) -> None:
    for number, session, text in ((1, SESSION, b"mine"), (2, OTHER, b"another's")):
        piece = Content(f"{number}" * 64, text, redacted=False)
        state = StateChange(session, 0, {"main": b"state"})
        exchange = an_exchange(number, session=None)
        writer.commit(Commit(exchange=exchange, state=state, contents=[piece], mark=Mark(number, 1, number * 1000)))
    with snapshot(database) as reader:
        assert list(reader.contents_of(SESSION)) == [b"mine"]
