"""Scripts in which a model calls its tools itself, as `tools.NAME({…})`: Codex' code mode.

Sure ways only: a script whose calls cannot be told from its text alone is not read. Nothing is run. This is the only
door of tree_sitter_javascript.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import orjson
import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

_JAVASCRIPT = Language(tree_sitter_javascript.language())
_LONGEST = 1 << 18
"""Characters; longer scripts are not read."""
_DEEPEST = 200
_TOOLS = "tools"
_SHOWS = frozenset({"text"})
"""Functions by which a script shows the model something."""
_PLAIN = frozenset(
    {
        "program", "expression_statement", "lexical_declaration", "variable_declaration", "variable_declarator",
        "await_expression", "call_expression", "arguments", "member_expression", "identifier", "property_identifier",
        "object", "pair", "string", "string_fragment", "number", "true", "false", "null", "array", "comment",
        "escape_sequence", "template_string", "empty_statement", "parenthesized_expression",
    }
)  # fmt: skip
"""What a script is made of that shows each answer as it is."""


class NestedCall(NamedTuple):
    """One call of a tool inside a script."""

    tool: str
    arguments: Mapping[str, Any]


class Script(NamedTuple):
    """What a script calls."""

    calls: tuple[NestedCall, ...]
    is_plain: bool
    """It shows every answer as it came: nothing is chosen, cut or computed."""


class _UnreadableError(Exception):
    """A call whose arguments only the running script knows."""


def read_script(text: str) -> Script | None:
    """The tool calls of a script, each once, in the order of its text; None when they cannot be told."""
    if len(text) > _LONGEST:
        return None
    root = Parser(_JAVASCRIPT).parse(text.encode("utf-8", "surrogatepass")).root_node
    if root.has_error:
        return None
    nodes = list(_nodes(root))
    try:
        calls = tuple([found for node in nodes if (found := _nested(node)) is not None])
    except _UnreadableError:
        return None
    shown = sum(
        node.type == "call_expression" and _said(node.child_by_field_name("function")) in _SHOWS for node in nodes
    )
    named = all(node.type in _PLAIN for node in nodes if node.is_named)
    others = sum(node.type == "call_expression" for node in nodes) - len(calls) - shown
    return Script(calls, is_plain=named and others == 0 and shown == len(calls)) if calls else None


def _nodes(root: Node) -> Iterator[Node]:
    """All nodes in the order of the text."""
    waiting = [(root, 0)]
    while waiting:
        node, depth = waiting.pop()
        yield node
        if depth < _DEEPEST:
            waiting += [(child, depth + 1) for child in reversed(node.children)]


def _nested(node: Node) -> NestedCall | None:
    """The tool call that a node is; None when it is none. Raises _UnreadableError."""
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    if function is None:
        return None
    owner = function.child_by_field_name("object")
    if owner is None or _said(owner) != _TOOLS:
        return None
    is_member = function.type == "member_expression"
    name: Any = (
        _said(function.child_by_field_name("property")) if is_member else _value(function.child_by_field_name("index"))
    )
    given = node.child_by_field_name("arguments")
    values = [_value(child) for child in given.named_children if child.type != "comment"] if given else []
    arguments = values[0] if values else {}
    if not isinstance(name, str) or len(values) > 1 or not isinstance(arguments, dict):
        raise _UnreadableError
    return NestedCall(name, arguments)


def _value(node: Node | None) -> Any:  # noqa: ANN401 - any JSON value
    """What a literal says. Raises _UnreadableError for everything else."""
    if node is None:
        raise _UnreadableError
    match node.type:
        case "object":
            return dict(_pair(child) for child in node.named_children if child.type != "comment")
        case "array":
            return [_value(child) for child in node.named_children if child.type != "comment"]
        case "string":
            return _string(node)
        case "template_string" if not any(child.type == "template_substitution" for child in node.named_children):
            return _string(node)
        case "true" | "false":
            return node.type == "true"
        case "null":
            return None
        case "number":
            return _number(_said(node))
        case _:
            raise _UnreadableError


def _pair(node: Node) -> tuple[str, Any]:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if node.type != "pair" or key is None:
        raise _UnreadableError
    return _said(key) if key.type == "property_identifier" else str(_value(key)), _value(value)


_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}


def _string(node: Node) -> str:
    return "".join(
        _unescaped(child) if child.type == "escape_sequence" else _said(child) for child in node.named_children
    )


def _unescaped(node: Node) -> str:
    code = _said(node)[1:]
    try:
        if code.startswith("u{"):
            return chr(int(code[2:-1], 16))
        if code[:1] in ("u", "x"):
            return chr(int(code[1:], 16))
    except (ValueError, OverflowError):
        raise _UnreadableError from None
    return _ESCAPES.get(code, code)


def _number(text: str) -> int | float:
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        raise _UnreadableError from None
    return found if isinstance(found, int | float) else 0


def _said(node: Node | None) -> str:
    text = node.text if node is not None else None
    return text.decode("utf-8", "replace") if text else ""
