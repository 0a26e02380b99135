from __future__ import annotations

from dataclasses import replace

from proxy.picture.costs import PARTS, cost_bars, cost_panel, miss_panel, seen_parts
from proxy.picture.frame import frame
from tests.support.pictured import a_pictured_session
from tests.support.stories import PICO_CACHED, PICO_INPUT, PICO_OUTPUT, Telling

NAMES = [name for name, _ in PARTS]


def test_the_parts_of_all_columns_add_up_to_what_the_session_was_billed() -> None:
    told = a_pictured_session()
    story = told.story()
    bars = cost_bars(frame(story, 1_180))
    assert sum(map(sum, bars.amounts.values())) == story.cost.pico_usd
    summary = sum(parts[NAMES.index("summary call")] for parts in bars.amounts.values())
    assert summary == told.iterations[4].pico_usd


def test_new_input_is_what_was_written_to_the_cache_and_what_was_not() -> None:
    told = Telling()
    told.turn(1_000, cached=400)
    told.iterations[0] = replace(told.iterations[0], written_pico_usd=1_000_000_000)
    (parts,) = cost_bars(frame(told.story(), 1_180)).amounts.values()
    assert dict(zip(NAMES, parts, strict=True)) == {
        "cache read": 400 * PICO_CACHED,
        "written to the cache": 1_000_000_000,
        "other new input": 600 * PICO_INPUT - 1_000_000_000,
        "output": 200 * PICO_OUTPUT,
        "summary call": 0,
    }
    assert [name for name, _ in seen_parts(told.story())] == NAMES[:-1]


def test_where_new_input_cannot_be_split_a_sampling_is_unpriced_unless_it_is_one_part_as_a_whole() -> None:
    told = Telling()
    told.turn(1_000, cached=400)
    told.turn(1_000, cached=400, purpose="summary")
    told.iterations = [replace(one, written_pico_usd=None) for one in told.iterations]
    bars = cost_bars(frame(told.story(), 1_180))
    assert (bars.unpriced, len(bars.amounts)) == (1, 1)
    assert [name for name, _ in seen_parts(told.story())] == ["summary call"]
    assert seen_parts(Telling().story()) == []


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
