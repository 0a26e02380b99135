"""A filled sheet, checked to the last cell: what is wrong is named by file, line and column, and nothing is taken."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from proxy.cli.auditing.sample import UNJUDGED, CallKey
from proxy.cli.auditing.sheet import KEY_COLUMNS
from proxy.model.errors import InputError
from proxy.model.facts import CallFact, Label
from proxy.model.ids import SessionId, ThreadId
from proxy.store import HandLabel

NEEDED = (*KEY_COLUMNS, "hand_label")
LABELS = tuple(label for label in Label if label not in UNJUDGED)


class Filled(NamedTuple):
    """What a sheet says."""

    labels: list[HandLabel]
    empty: int
    """Rows without a label: not judged."""


class _Row(NamedTuple):
    source: str
    line: int
    cells: dict[str, str]

    def wrong(self, column: str, expected: str) -> InputError:
        """An error that names the cell."""
        found = repr(self.cells[column][:60]) if self.cells[column] else "nothing"
        return InputError(self.source, f"line {self.line}, column {column}", found, expected)


def read_filled(file: Path, call_of: Callable[[CallKey], CallFact | None], *, now_us: int) -> Filled:
    """Labels of a sheet.

    Args:
        file: the sheet, filled.
        call_of: a call of the store; None when it is not there.
        now_us: time of the import.

    Raises:
        InputError: it is no such sheet, names a call that is not there, a call twice, or a class that is none.
    """
    labels: dict[CallKey, HandLabel] = {}
    empty = 0
    for row in _rows(file):
        if not row.cells["hand_label"].strip():
            empty += 1
            continue
        key = _key(row)
        if key in labels:
            raise row.wrong("call", "each call once")
        call = call_of(key)
        if call is None:
            raise row.wrong("call", "a call of this store; was the session forgotten, or is it another store?")
        labels[key] = HandLabel(
            session=key.session,
            thread=key.thread,
            turn=key.turn,
            index=key.place,
            sample=row.cells["sample"],
            product_label=call.label,
            hand_label=_label(row),
            imported_us=now_us,
        )
    return Filled(list(labels.values()), empty)


def _rows(file: Path) -> Iterator[_Row]:
    source = str(file)
    try:
        with file.open(encoding="utf-8-sig", newline="") as opened:
            reader = csv.DictReader(opened, restkey="", restval="", strict=True)
            _check_header(source, reader.fieldnames)
            for cells in reader:
                yield _Row(source, reader.line_num, {name: str(cells[name]) for name in NEEDED})
    except OSError as error:
        raise InputError(
            source, "", (error.strerror or "an error").lower(), "a filled sheet of `audit sample`"
        ) from None
    except (UnicodeDecodeError, csv.Error) as error:
        found = "no UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
        raise InputError(source, "", found, "a CSV file as `audit sample` writes it") from None


def _check_header(source: str, names: object) -> None:
    found = list(names) if isinstance(names, list) else []
    for name in NEEDED:
        if name not in found:
            shown = ", ".join(map(str, found))[:80] or "nothing"
            raise InputError(source, "line 1", shown, f"the columns of `audit sample`, {name} among them")


def _key(row: _Row) -> CallKey:
    turn, call = (_number(row, column) for column in ("turn", "call"))
    return CallKey(SessionId(row.cells["session"]), ThreadId(row.cells["thread"]), turn, call - 1)


def _number(row: _Row, column: str) -> int:
    text = row.cells[column].strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10 and int(text) > 0):
        raise row.wrong(column, "a number from 1")
    return int(text)


def _label(row: _Row) -> Label:
    text = row.cells["hand_label"].strip().lower()
    if text not in set(LABELS):
        raise row.wrong("hand_label", f"one of {', '.join(LABELS)}")
    return Label(text)
