from __future__ import annotations

from datetime import UTC

from proxy.story.banner import cost, door, origin, timed_totals, totals
from tests.support.stories import Telling, a_compacted_session


def test_the_lines_say_door_source_level_and_the_share_of_unknown_tools() -> None:
    story = a_compacted_session().story()
    assert origin(story)[2:] == ["door: base URL", "main + 1 sub-agent", "live", "exact"]
    assert totals(story)[-1] == "unknown tools 10 %"
    timed = timed_totals(story, as_of_us=story.session.last_us, zone=UTC)
    assert (timed[1], timed[-1]) == ("1m54s", "as of 2023-11-14 22:15")


def test_of_a_transcript_nothing_is_said_that_only_a_door_shows() -> None:
    effects = '{"betas": [], "long_window": false, "tool_search": false, "tools": 0}'
    assert "not sent" in door(Telling(door_effects=effects).story())
    assert door(Telling(door="transcript", door_effects=effects).story()) == "door: transcript"


def test_what_has_no_price_is_said() -> None:
    told = Telling()
    told.turn(None)
    assert cost(told.story()) == "not priced"
