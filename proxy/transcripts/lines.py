"""One file of JSON lines, read line by line in bounded memory; a bad line is noted and the rest is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from proxy.transcripts.trouble import Trouble
from proxy.wire.json_values import EMPTY, BadJsonError, Json, parse_json

LINE_LIMIT = 64 * 1024 * 1024
"""Bytes of the longest line that is read; a longer one is passed over without being held."""
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One line that is a JSON object."""

    number: int
    """1-based."""
    record: dict[str, Json]
    octets: int
    """Of the line as it stands in the file."""


def read_lines(path: Path, trouble: Trouble) -> Iterator[Line]:
    """The objects of a file, in order. What is no object is noted; nothing is raised."""
    try:
        with path.open("rb") as file:
            yield from _lines(file, str(path), trouble)
    except OSError as error:
        trouble.note(reason_of(error), str(path))


def reason_of(error: OSError) -> str:
    """`permission denied`."""
    return (error.strerror or type(error).__name__).lower()


def _lines(file: BinaryIO, name: str, trouble: Trouble) -> Iterator[Line]:
    number = 0
    while raw := file.readline(LINE_LIMIT):
        number += 1
        ended = raw.endswith(b"\n")
        if not ended and len(raw) == LINE_LIMIT and _skip_line(file):
            trouble.note(f"a line over {LINE_LIMIT // 1024 // 1024} MiB", name, number)
            continue
        reason, value = _read(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw)
        if isinstance(value, dict):
            yield Line(number, value, len(raw))
        elif reason == EMPTY:
            continue
        else:
            trouble.note(reason if ended else f"cut off: {reason}", name, number)


def _skip_line(file: BinaryIO) -> bool:
    """Read over the rest of a line; False when there was none."""
    is_longer = False
    while raw := file.readline(LINE_LIMIT):
        is_longer = True
        if raw.endswith(b"\n"):
            break
    return is_longer


def _read(raw: bytes) -> tuple[str, Json]:
    try:
        value = parse_json(raw)
    except BadJsonError as error:
        return error.reason, None
    return "not a JSON object", value
