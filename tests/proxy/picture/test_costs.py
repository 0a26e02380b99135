from __future__ import annotations

from dataclasses import replace

from proxy.picture.costs import PARTS, cost_bars, cost_panel, miss_panel
from proxy.picture.frame import frame
from tests.support.pictured import a_pictured_session
from tests.support.stories import Telling

NAMES = [name for name, _ in PARTS]


def test_the_parts_of_all_columns_add_up_to_what_the_session_was_billed() -> None:
    told = a_pictured_session()
    story = told.story()
    bars = cost_bars(frame(story, 1_180))
    assert sum(map(sum, bars.amounts.values())) == story.cost.pico_usd
    summary = sum(parts[NAMES.index("summary call")] for parts in bars.amounts.values())
    assert summary == told.iterations[4].pico_usd


def test_a_sampling_without_a_price_is_counted_and_not_drawn() -> None:
    told = a_pictured_session()
    told.iterations[0] = replace(told.iterations[0], pico_usd=None)
    bars = cost_bars(frame(told.story(), 1_180))
    assert bars.unpriced == 1
    assert 0 not in bars.amounts


def test_without_any_price_the_scale_says_so() -> None:
    told = Telling()
    told.turn(None)
    assert ">unpriced<" in cost_panel(frame(told.story(), 1_180)).markup


def test_a_miss_tells_its_reason_and_what_was_written() -> None:
    panel = miss_panel(frame(a_pictured_session().story(), 1_180))
    assert panel is not None
    assert panel.markup.count("<circle") == 3
    assert ">cold, 4.0k written<" in panel.markup
    assert "prompt cache not read: compaction" in panel.markup
    assert miss_panel(frame(Telling().story(), 1_180)) is None
