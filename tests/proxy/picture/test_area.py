from __future__ import annotations

import re

from proxy.picture.area import area, kinds_panel, stacked
from proxy.picture.frame import frame
from tests.support.pictured import a_long_session, a_pictured_session
from tests.support.stories import Telling


def test_a_turn_without_usage_is_held_and_not_drawn_as_zero() -> None:
    told = a_pictured_session()
    found = frame(told.story(), 500)
    assert area(found, [None, None], 100, 10) == ""
    assert 'd="M' in area(found, [None, 5, None], 100, 10)


def test_the_kinds_of_a_column_add_up_to_its_sum() -> None:
    stacks = [stack for stack in stacked(frame(a_pictured_session().story(), 1_180)) if stack]
    assert all(total == sum(parts) for total, *parts in stacks)
    assert stacks[-1] == (900 + 1_500 + 700 + 12 * 150, 900, 1_500, 700, 12 * 150, 0)


def test_where_turns_share_a_column_it_holds_the_fullest_of_them_and_no_sum_of_two() -> None:
    told = Telling()
    for texts, summary in ((900, 0), (400, 350), (300, 0)):
        told.turn(1_000, said_tokens_ref=texts, summary_tokens_ref=summary)
    narrow = frame(told.story(), 500)
    assert [stack[0] for stack in stacked(narrow) if stack] == [900, 400, 300]
    shared = frame(told.story(), 66)
    assert shared.is_shared
    assert stacked(shared) == [(900, 0, 0, 0, 900, 0)]


def test_each_kind_that_was_seen_is_a_layer_and_each_covers_the_ones_under_it() -> None:
    markup = kinds_panel(frame(a_pictured_session().story(), 1_180)).markup
    layers = re.findall(r'class="kind ([a-z-]+)"', markup)
    assert layers == ["tool-results", "texts-and-calls", "summary", "tool-definitions", "system"]
    assert 'class="kind' not in kinds_panel(frame(a_long_session(3).story(), 1_180)).markup
