"""What a word of a shell command says, as far as the text tells: quotes removed, expansions kept apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

DEEPEST = 60
"""Nesting; deeper commands are not read."""

_NAMED_BY_SHELL = {"HOME": "~"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_QUOTED_ESCAPE = re.compile(r'\\([\\"$`])')


class UnreadableError(Exception):
    """The command is nested too deep, or no shell would take it."""


class Variable(NamedTuple):
    """A plain `$name` in a word."""

    name: str


Part = str | Variable | None
"""Literal text, a variable, or (None) something only the running shell knows."""


class Word(NamedTuple):
    """One word of a command, quotes removed."""

    parts: tuple[Part, ...]


UNKNOWN = Word((None,))


def word_of(node: Node) -> Word:
    """The word a node stands for."""
    return Word(tuple(_merged(_parts(node, 0))))


def _merged(parts: Iterator[Part]) -> Iterator[Part]:
    literal = ""
    for part in parts:
        if isinstance(part, str):
            literal += part
            continue
        if literal:
            yield literal
            literal = ""
        yield part
    if literal:
        yield literal


def _parts(node: Node, depth: int) -> Iterator[Part]:
    if depth > DEEPEST:
        raise UnreadableError
    text = text_of(node)
    match node.type:
        case "string":
            yield from _between(node, depth, quotes=1)
        case "concatenation":
            yield from _between(node, depth)
        case "word" | "number" | "variable_name" | "extglob_pattern" | "regex":
            yield None if node.named_child_count else _ESCAPE.sub(r"\1", text)
        case "raw_string":
            yield text[1:-1]
        case "string_content":
            yield _QUOTED_ESCAPE.sub(r"\1", text)
        case "ansi_c_string":
            yield None if "\\" in text else text[2:-1]
        case _:
            yield _expanded(node, text)


def _expanded(node: Node, text: str) -> Part:
    if node.type in ("simple_expansion", "expansion"):
        name = text.strip("${}")
        if node.named_child_count != 1 or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            return None
        return _NAMED_BY_SHELL.get(name) or Variable(name)
    if node.type == "command_substitution":
        return Variable("PWD") if text in ("$(pwd)", "`pwd`") else None
    return None if node.is_named else text


def _between(node: Node, depth: int, quotes: int = 0) -> Iterator[Part]:
    """The children and what stands between them: blanks in double quotes belong to no child of the grammar."""
    at = node.start_byte + quotes
    source = (node.text or b"")[at - node.start_byte :]
    start = at
    for child in node.children:
        if child.type == '"':
            continue
        if child.start_byte > at:
            yield source[at - start : child.start_byte - start].decode("utf-8", "replace")
        yield from _parts(child, depth + 1)
        at = child.end_byte
    end = node.end_byte - quotes
    if end > at:
        yield source[at - start : end - start].decode("utf-8", "replace")


def text_of(node: Node | None) -> str:
    """The source of a node; empty for none."""
    return (node.text or b"").decode("utf-8", "replace") if node is not None else ""
