from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from proxy.story.showable import SIGN, clean, clean_line


@given(st.text(st.characters(categories=("Cc", "Cf", "Cs", "Zl", "Zp", "L"))))
def test_a_line_stays_one_line_of_the_same_length_and_holds_no_control(text: str) -> None:
    shown = clean_line(text)
    assert len(shown) == len(text)
    assert len(shown.splitlines()) <= 1
    assert not any(unicodedata.category(letter) in ("Cc", "Cs") for letter in shown)
    assert clean_line(shown) == shown


def test_an_escape_sequence_becomes_plain_letters() -> None:
    assert clean_line("Read\x1b[31m\x9b2J\r\n") == f"Read{SIGN}[31m{SIGN}2J{SIGN}{SIGN}"


def test_a_name_that_would_turn_the_line_round_does_not() -> None:
    assert clean_line("a\u202egpj.exe\u2066") == f"a{SIGN}gpj.exe{SIGN}"


def test_a_text_keeps_its_tabs_and_line_breaks_and_ordinary_letters_of_any_script() -> None:
    assert clean("a\tb\nc\x07") == f"a\tb\nc{SIGN}"
    assert clean_line("Größe \u65e5\u672c \U0001f600") == "Größe \u65e5\u672c \U0001f600"
