"""What a word says: quotes removed, expansions kept apart."""

from __future__ import annotations

import pytest

from proxy.ledger.shell.script import Simple, parse
from proxy.ledger.shell.words import Part, Variable


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a", ["a"]),
        ("'a b'", ["a b"]),
        ('"a  b"', ["a  b"]),
        ('""', []),
        (r"a\ b", ["a b"]),
        (r"'a\b'", ["a\\b"]),
        (r'"a\"b\$c\d"', ['a"b$c\\d']),
        ("'it'\"'\"'s'", ["it's"]),
        ("$x", [Variable("x")]),
        ("${x}", [Variable("x")]),
        ('"a  $x  b"', ["a  ", Variable("x"), "  b"]),
        ("/a/$x.py", ["/a/", Variable("x"), ".py"]),
        ("${x:-y}", [None]),
        ("$((1+2))", [None]),
        ("$1", [None]),
        ("$@", [None]),
        ("$(ls)", [None]),
        ("$HOME/f", ["~/f"]),
        ("$(pwd)/f", [Variable("PWD"), "/f"]),
        ("`pwd`", [Variable("PWD")]),
        ("$'a b'", ["a b"]),
        (r"$'a\tb'", [None]),
        ("*.py", ["*.py"]),
        ("{a,b}", ["{a,b}"]),
        ("~/f", ["~/f"]),
        ("é漢", ["é漢"]),
    ],
)
def test_a_word_says_what_the_text_tells(text: str, parts: list[Part]) -> None:
    found = parse(f"cat {text}")
    assert found is not None
    stage = found[0].stages[0]
    assert isinstance(stage, Simple)
    assert list(stage.words[1].parts) == parts
