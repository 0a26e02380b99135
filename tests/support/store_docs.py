"""Writes `docs/store.md` from the tables and the docstrings of the facts.

python -m tests.support.store_docs > docs/store.md
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path

from sqlalchemy import Column, Table

from proxy.model.facts import FACTS, Fact
from proxy.store.schema import EVENT_COLUMNS, OTHER_TABLES, REVISION, TABLE_NAMES, FieldType, field_types
from proxy.store.verify import CHECKS

UNITS = (
    ("_us", "UTC µs"),
    ("_pico_usd", "10⁻¹² USD"),
    ("pico_usd", "10⁻¹² USD"),
    ("_tokens_ref", "reference tokens (o200k_base)"),
    ("tokens_ref", "reference tokens (o200k_base)"),
    ("_tokens", "billed tokens"),
    ("_bytes", "bytes"),
    ("_sha256", "64 hex digits"),
)
DURATIONS = {"first_byte_us", "duration_us", "model_us"}
BILLED = {"uncached", "cache_read", "output", "reasoning"}
INTRODUCTION = Path(__file__).with_name("store_docs.md")


def page() -> str:
    """The whole document."""
    parts = [INTRODUCTION.read_text("utf-8").replace("REVISION", REVISION)]
    parts += map(_fact_section, FACTS)
    parts += ["## The other tables", *map(_other_section, OTHER_TABLES)]
    parts.append("## What `store verify` holds true\n\n" + "\n".join(f"- {rule}" for rule in CHECKS))
    parts.append("## Columns of the view `events`\n\n" + "\n".join(f"- `{name}`" for name in EVENT_COLUMNS))
    return "\n\n".join(part.rstrip() for part in parts) + "\n"


def _docstrings(fact: type[Fact]) -> Iterator[tuple[str, str]]:
    """Of the class (under the empty name) and of its fields."""
    (node,) = ast.parse(inspect.getsource(fact)).body
    assert isinstance(node, ast.ClassDef)
    yield "", ast.get_docstring(node) or ""
    for statement, following in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        match following:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield statement.target.id, " ".join(text.split()).replace("None", "NULL")


def _fact_section(fact: type[Fact]) -> str:
    said = dict(_docstrings(fact))
    lines = [f"## `{TABLE_NAMES[fact]}`", "", said[""], "", *_head()]
    for field in field_types(fact):
        meaning = _meaning(field, said.get(field.name, ""), is_key=field.name in fact.KEY)
        lines.append(_row(f"`{field.name}`", _type(field), meaning))
    return "\n".join(lines)


def _meaning(field: FieldType, said: str, *, is_key: bool) -> str:
    values = ", ".join(f"`{value}`" for value in field.python) if issubclass(field.python, StrEnum) else ""
    return " ".join(part for part in ("**Key.**" if is_key else "", said, values) if part)


def _type(field: FieldType) -> str:
    plain = "text" if issubclass(field.python, str) else {int: "integer", bool: "flag"}[field.python]
    unit = _unit(field.name) if field.python in {int, str} else ""
    return ", ".join(part for part in (plain, unit, "may be NULL" if field.nullable else "") if part)


def _unit(name: str) -> str:
    if name in DURATIONS:
        return "µs"
    if name in BILLED or name.startswith("cache_write"):
        return "billed tokens"
    return next((unit for ending, unit in UNITS if name.endswith(ending)), "")


def _other_section(table: Table) -> str:
    rows = [_row(f"`{column.name}`", _sql_type(column), _note(column)) for column in table.columns]
    return "\n".join([f"### `{table.name}`", "", *_head(), *rows])


def _sql_type(column: Column[object]) -> str:
    plain = {"TEXT": "text", "BLOB": "bytes", "BIGINT": "integer", "BOOLEAN": "flag"}[str(column.type)]
    return ", ".join(part for part in (plain, _unit(column.name) if plain != "bytes" else "") if part)


def _note(column: Column[object]) -> str:
    said = f"{column.doc[0].upper()}{column.doc[1:]}." if column.doc else ""
    return " ".join(part for part in ("**Key.**" if column.primary_key else "", said) if part)


def _head() -> list[str]:
    return ["| column | type | meaning |", "|---|---|---|"]


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


if __name__ == "__main__":
    print(page(), end="")
