"""What may be shown of a text that traffic wrote: nothing in it can move a cursor, colour a line or turn it round."""

from __future__ import annotations

import re

_TURNING = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Would let a name be written backwards."""
_NO_TEXT = "\ud800-\udfff\ufffe\uffff"
_IN_A_TEXT = re.compile(f"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{_TURNING}{_NO_TEXT}]")
_IN_A_LINE = re.compile(f"[\0-\x1f\x7f-\x9f\u2028\u2029{_TURNING}{_NO_TEXT}]")
SIGN = "\ufffd"
"""Stands in place of each such character, so that widths stay."""


def clean(text: str) -> str:
    """A text of several lines: tabs and line breaks stay. XML allows every character that is left."""
    return _IN_A_TEXT.sub(SIGN, text)


def clean_line(text: str) -> str:
    """One line of a terminal: it stays one line, and holds no escape sequence."""
    return _IN_A_LINE.sub(SIGN, text)
