from __future__ import annotations

from dataclasses import replace

from proxy.export.spans import (
    Naming,
    Span,
    Told,
    boundary_span,
    reread_span,
    rereads,
    session_span,
    span_id,
    trace_id,
    turn_span,
)
from tests.support.stories import Telling, a_compacted_session

HOSTS = Naming(hosts={"anthropic": "api.anthropic.com"})


def a_turn_span(told: Telling, place: int, naming: Naming = HOSTS) -> Span:
    turn = told.turns[place]
    exchange = replace(told.exchanges[place], path="/v1/messages")
    own = [one for one in told.iterations if (one.writer, one.number) == (turn.writer, turn.number)]
    return turn_span(Told(turn, exchange, own), naming)


def test_a_session_is_a_trace_and_its_span_holds_who_it_was() -> None:
    fact = Telling(labels='{"team": "platform"}').fact
    span = session_span(fact)
    assert span.trace_id == trace_id(fact.session)
    assert span.parent_id is None
    assert span.name == "invoke_agent claude-code"
    assert span.attributes["gen_ai.conversation.id"] == fact.session
    assert span.attributes["gen_ai.agent.name"] == "claude-code"
    assert span.attributes["compaction.label.team"] == "platform"


def test_a_turns_input_tokens_hold_what_the_cache_gave_and_took() -> None:
    span = a_turn_span(a_compacted_session(), 1)
    assert span.attributes["gen_ai.usage.input_tokens"] == 21_700
    assert span.attributes["gen_ai.usage.cache_read.input_tokens"] == 4_000
    assert span.attributes["gen_ai.usage.cache_creation.input_tokens"] == 17_700
    assert span.attributes["gen_ai.usage.output_tokens"] == 200
    assert span.attributes["gen_ai.provider.name"] == "anthropic"
    assert span.attributes["server.address"] == "api.anthropic.com"
    assert (span.name, span.is_client) == ("chat claude-x", True)
    assert span.end_us - span.start_us == 4_000_000


def test_counts_that_were_not_sent_are_not_reported() -> None:
    told = Telling()
    told.turn(None)
    attributes = a_turn_span(told, 0).attributes
    assert not [name for name in attributes if name.startswith("gen_ai.usage") or "cost" in name]


def test_a_turn_is_in_its_session_and_a_reread_in_the_turn_that_asked() -> None:
    told = a_compacted_session()
    turn = a_turn_span(told, 6)
    call = next(call for call in told.calls if call.turn == told.turns[6].turn and call.thread == "main")
    reread = reread_span(call, HOSTS)
    assert turn.parent_id == session_span(told.fact).span_id
    assert reread.parent_id == turn.span_id
    assert reread.name == "execute_tool Read"
    assert reread.attributes["compaction.class"] == "reacquisition"
    assert reread.attributes["compaction.boundary"] == 1


def test_a_compaction_lasts_from_the_request_for_its_summary() -> None:
    told = a_compacted_session()
    span = boundary_span(told.boundaries[0], told.exchanges[5])
    assert (span.start_us, span.end_us) == (told.exchanges[5].opened_us, told.boundaries[0].at_us)
    assert span.attributes["compaction.tokens_before"] == 61_900
    assert span.attributes["compaction.tokens_after"] == 14_900
    assert boundary_span(told.boundaries[0], None).start_us == told.boundaries[0].at_us


def test_only_calls_that_are_charged_to_a_compaction_become_spans() -> None:
    told = a_compacted_session()
    assert [call.label for call in rereads(told.calls)] == ["reacquisition", "reacquisition", "subset", "reacquisition"]


def test_what_was_read_is_left_out_unless_it_is_asked_for() -> None:
    call = replace(rereads(a_compacted_session().calls)[0], resource="/repo/canary.py", span="1-80")
    assert "canary" not in str(reread_span(call, HOSTS))
    told = reread_span(call, Naming(hosts={}, contents=True)).attributes
    assert (told["compaction.resource"], told["compaction.span"]) == ("/repo/canary.py", "1-80")


def test_ids_are_made_of_what_names_the_span_and_nothing_else() -> None:
    first, second = a_compacted_session(), a_compacted_session()
    assert [a_turn_span(first, place) for place in range(11)] == [a_turn_span(second, place) for place in range(11)]
    ids = [a_turn_span(first, place).span_id for place in range(11)]
    assert len(set(ids)) == 11
    assert span_id("turn", first.session, "main", 1) != span_id("turn", first.session, "main1", 1)
    assert 0 < trace_id(first.session) < 1 << 128
    assert all(0 < one < 1 << 64 for one in ids)
