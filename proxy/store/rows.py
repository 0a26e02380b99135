"""Facts to rows and back, exactly. Text that a database cannot hold is escaped the same way for every dialect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import Any

from proxy.model.facts import FACTS, Fact
from proxy.store.errors import UnstorableError
from proxy.store.schema import FactClass, FieldType, field_types

Value = str | int | None
Row = dict[str, Value]
INT64 = 2**63


def storable_text(text: str) -> str:
    r"""The text itself, or with NUL and lone surrogates (which hostile JSON can hold) written as `\u0000`, `\udc80`.

    PostgreSQL refuses NUL, and neither database stores surrogates.
    """
    if "\0" in text:
        text = text.replace("\0", "\\u0000")
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _write_text(value: str | None) -> Value:
    return None if value is None else storable_text(value)


def _write_enum(value: StrEnum | None) -> Value:
    return None if value is None else value.value


def _write_int(value: int | None) -> Value:
    if value is not None and not -INT64 <= value < INT64:
        raise UnstorableError("an integer beyond 64 bits")
    return value


def _read_as(python: type) -> Callable[[Any], Any]:
    return lambda value: None if value is None else python(value)


def _writer(field: FieldType) -> Callable[[Any], Value]:
    if issubclass(field.python, StrEnum):
        return _write_enum
    return _write_text if field.python is str else _write_int


def _reader(field: FieldType) -> Callable[[Any], Any] | None:
    """What turns a stored value into the field's; None when it is that value already."""
    return None if field.python in {str, int} else _read_as(field.python)


class RowForm[F: Fact]:
    """How one fact class is written to and read from its table."""

    def __init__(self, fact: type[F]) -> None:
        columns = field_types(fact)
        self.names = tuple(field.name for field in columns)
        self._make = fact
        self._values = attrgetter(*self.names)
        self._writers = tuple(zip(self.names, map(_writer, columns), strict=True))
        self._readers = tuple((field.name, read) for field in columns if (read := _reader(field)))

    def row(self, fact: F) -> Row:
        """Column values.

        Raises:
            UnstorableError: an integer beyond 64 bits.
        """
        values = self._values(fact)
        return {name: write(value) for (name, write), value in zip(self._writers, values, strict=True)}

    def fact(self, row: Sequence[Any]) -> F:
        """The fact of one row, whose columns stand in the order of the fields."""
        values = dict(zip(self.names, row, strict=True))
        for name, read in self._readers:
            values[name] = read(values[name])
        return self._make(**values)


FORMS: dict[FactClass, RowForm[Any]] = {fact: RowForm(fact) for fact in FACTS}


def key_of(fact: Fact) -> tuple[Value, ...]:
    """Primary key of a fact."""
    return tuple(getattr(fact, name) for name in fact.KEY)
