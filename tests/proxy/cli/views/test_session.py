from __future__ import annotations

from datetime import UTC

from proxy.cli.views.session import BILL_WIDTH, bill_table, header, loop_lines, session_lines
from proxy.model.facts import BoundaryKind, Observability
from proxy.story.banner import door
from tests.support.pictured import a_long_session
from tests.support.stories import Telling, a_compacted_session, reads, rereads

PAGE = """\
session 7f3a91c2 · claude-code 2.1.332 · door: base URL · main + 1 sub-agent · live · exact
11 turns · 1m54s · $0.38 · 1 compaction · 4 re-reads (3 exact, 1 partial) · unknown tools 10 % · as of 2023-11-14 22:15

context  80.0k┤
              │            ╭────────╮
              │            │        │
              │         ╭──╯        │           ╭──
              │   ╭─────╯           ╰───────────╯
             0┼───┴────────────────────────────────
compaction                       ▼b1 auto
main           r  r     w  ·  S  │  R  R  p  R  ·
agent 1              r
cache miss     ○                    ●rewrite 14.9k
 R re-read exact  p partial  S summary call  w write  r read  · turn  ○ cold  ● what was cached had changed

     turn      dropped  summary  rewrite   exact  partial  re-reads  measured  less/turn*  pays back after*
 b1     6  3 obs 47.0k  $0.0240  $0.0402  3 5.8k    1 840   $0.0303   $0.0945     $0.0141  7 turns ✗ 5 followed
 client auto: b1
 of 4 retrievals since the first compaction 3 were exact re-reads, 1 partial; 3 observations had been dropped
 exact, partial: re-reads and their reference tokens, never added; dropped tokens are billed ones
 * modelled; less/turn: the price of what each later turn no longer carries
 again and again since b1: b.py \u00d72   → compaction-gate explain 7f3a91c2:b1
 labels not audited (compaction-gate audit sample)
"""


def test_the_page_of_a_compacted_session() -> None:
    told = a_compacted_session()
    assert "\n".join(session_lines(told.story(), now_us=told.now_us, width=60, zone=UTC)) + "\n" == PAGE


def test_a_session_without_compaction_says_so() -> None:
    told = Telling()
    told.turn(1_000, reads("a"))
    lines = session_lines(told.story(), now_us=told.now_us, width=80)
    assert lines[-1] == "no compaction so far: nothing has left the model's view"
    assert "0 compactions" in lines[1]


def test_what_has_no_price_or_usage_is_said_and_not_added_as_nothing() -> None:
    told = Telling()
    told.turn(None)
    second = list(header(told.story(), now_us=told.now_us))[1]
    assert "not priced" in second
    assert "unknown tools not measured" in second


def test_the_door_says_what_the_client_sent_through_it() -> None:
    effects = '{"betas": [], "long_window": true, "tool_search": false, "tools": 12}'
    assert door(Telling(door_effects=effects).story()) == "door: base URL (context-1m beta sent, tool search off)"
    assert door(Telling(door_effects=effects, client="anthropic-sdk").story()) == "door: base URL"


def test_levels_are_printed_strongest_first() -> None:
    told = a_compacted_session()
    told.boundary(("d.py", 5), level=Observability.BEHAVIOUR_ONLY)
    told.turn(9_000)
    assert next(header(told.story(), now_us=told.now_us)).endswith("live · exact · behaviour-only")


def test_a_boundary_whose_first_turn_is_still_to_come_is_drawn() -> None:
    told = Telling()
    told.turn(60_000)
    told.boundary(("a", 100))
    lines = session_lines(told.story(), now_us=told.now_us, width=80)
    assert any(line.startswith("compaction") for line in lines)
    assert any("unpriced" in line for line in bill_table(told.story()))


def test_loops_are_their_own_line_and_only_from_two_on() -> None:
    told = Telling()
    told.turn(60_000)
    told.boundary(("a", 100), ("b", 100))
    told.turn(10_000, rereads("a"), rereads("b"))
    assert list(loop_lines(told.story())) == []
    told.turn(11_000, rereads("a"))
    assert list(loop_lines(told.story())) == [
        " again and again since b1: a \u00d72   → compaction-gate explain 7f3a91c2:b1"
    ]


def test_the_table_fits_a_terminal_and_names_kinds_and_threads_once() -> None:
    told = a_long_session(520)
    for thread in ("agent:1", "agent:3"):
        told.boundary(("x.py", 1_000), thread=thread, kind=BoundaryKind.ROLLING, trigger="")
    lines = bill_table(told.story())
    assert max(map(len, lines)) <= BILL_WIDTH
    assert " client auto: b1, b2 \u00b7 rolling on agent:1: b3 \u00b7 rolling on agent:3: b4" in lines


def test_tokens_of_exact_and_partial_rereads_are_never_added() -> None:
    (row,) = [line.split() for line in bill_table(a_compacted_session().story()) if line.startswith(" b1 ")]
    assert row[7:11] == ["3", "5.8k", "1", "840"]
