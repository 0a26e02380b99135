from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from proxy.picture.drawing import element, number, words
from proxy.story.figures import shortened
from tests.support.pictured import HOSTILE


@given(st.text())
def test_any_text_makes_one_well_formed_element_and_is_read_back(text: str) -> None:
    read = ET.fromstring(element("text", words(text), aria_label=text))
    assert len(read) == 0
    assert set(read.attrib) == {"aria-label"}
    plain = text.isprintable()
    assert not plain or "".join(read.itertext()) == text.replace("\ufffe", "\ufffd")


def test_markup_in_a_name_stays_a_name() -> None:
    seen: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            seen.append(tag)
            assert len(attrs) == 1

    Reader().feed(element("p", words(HOSTILE), title=HOSTILE))
    assert seen == ["p"]


def test_a_name_that_would_be_written_backwards_or_steer_a_terminal_is_made_visible() -> None:
    assert words("a\u202eb\x1bc\0") == "a\ufffdb\ufffdc\ufffd"


def test_long_names_keep_their_beginning_and_more_of_their_end() -> None:
    assert shortened("src/" + "deep/" * 40 + "file.py", 30) == "src/deep/\u2026ep/deep/deep/file.py"
    assert shortened("short", 30) == "short"
    assert len(shortened("x" * 500, 90)) == 90


def test_coordinates_are_short() -> None:
    assert [number(value) for value in (1, 1.04, -0.5, 10.25)] == ["1", "1", "-0.5", "10.2"]
