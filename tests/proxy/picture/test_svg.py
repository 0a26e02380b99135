from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from proxy.picture.frame import frame
from proxy.picture.shapes import SHAPES
from proxy.picture.svg import inner_svg, notes, still_svg
from proxy.story.marks import MARKS
from tests.support.pictured import a_hostile_session, a_long_session, a_pictured_session
from tests.support.stories import Telling

SVG = "{http://www.w3.org/2000/svg}"


def texts(markup: str) -> list[str]:
    return ["".join(one.itertext()) for one in ET.fromstring(markup).iter(f"{SVG}text")]


@pytest.mark.parametrize("told", [a_pictured_session(), a_hostile_session(), Telling()])
def test_a_still_picture_is_one_well_formed_file_without_script_link_or_time(told: Telling) -> None:
    story = told.story()
    markup = still_svg(story)
    tags = {one.tag.removeprefix(SVG) for one in ET.fromstring(markup).iter()}
    assert tags <= {"svg", "title", "desc", "rect", "g", "line", "path", "text", "circle"}
    assert "as of" not in markup
    assert markup == still_svg(story)


def test_its_head_is_that_of_the_terminal() -> None:
    head = texts(still_svg(a_pictured_session().story()))[:2]
    assert head[0] == "session 7f3a91c2 · claude-code 2.1.332 · door: base URL · main + 1 sub-agent · live · exact"
    assert head[1].startswith("13 turns · $")
    assert "unknown tools 7 %" in head[1]


def test_each_mark_has_a_shape_and_a_colour_that_no_other_has() -> None:
    assert list(SHAPES) == ["R", "p", "a", "f", "S", "w", "u", "v", "r", "x", "?", "·"]
    assert {mark for mark, _ in MARKS} == set(SHAPES)
    assert len({shape.path for shape in SHAPES.values()}) == len(SHAPES)


def test_the_legend_holds_what_appears_and_nothing_else() -> None:
    told = Telling()
    told.turn(1_000)
    said = texts(still_svg(told.story()))
    assert "turn" in said
    assert "re-read exact" not in said


def test_what_is_not_shown_one_by_one_is_said() -> None:
    long = notes(frame(a_long_session(300).story(), 370, is_narrow=True))
    assert long[0].startswith("309 turns and compactions share 44 columns")
    told = a_pictured_session()
    told.calls = [call for call in told.calls if call.turn != 2]
    assert "5 re-reads without an arc: what they repeat is not kept" in notes(frame(told.story(), 1_180))


def test_a_session_without_turns_or_usage_has_a_picture() -> None:
    told = Telling()
    told.turn(None)
    for story in (told.story(), Telling().story()):
        assert inner_svg(frame(story, 370, is_narrow=True), "narrow").startswith("<svg")
        assert inner_svg(frame(story, 370, by_time=True), "wide").startswith("<svg")
