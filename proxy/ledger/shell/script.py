"""Shell text to pipelines of simple commands, by tree-sitter-bash.

Control structures are kept as groups of what they may run: a command inside an `if` counts as run.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from proxy.ledger.shell.words import DEEPEST, UNKNOWN, UnreadableError, Word, text_of, word_of

_BASH = Language(tree_sitter_bash.language())
_LONGEST = 1 << 18
"""Characters; longer commands are not read."""
_MOST_STAGES = 50
"""Stages of one pipeline."""

_STRUCTURES = frozenset(
    {
        "program", "list", "compound_statement", "do_group", "if_statement", "elif_clause", "else_clause",
        "while_statement", "for_statement", "c_style_for_statement", "case_statement", "case_item", "negated_command",
    }
)  # fmt: skip


class Redirect(NamedTuple):
    """One redirection; `target` is None for here-documents, whose text is not kept."""

    operator: str
    target: Word | None
    to_errors: bool = False
    """Of the error output (`2>`)."""


class Simple(NamedTuple):
    """One simple command."""

    words: tuple[Word, ...]
    assignments: tuple[tuple[str, Word], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    inner: tuple[Pipeline, ...] = ()
    """What its command substitutions run."""


class Group(NamedTuple):
    """Commands run as one stage: a list in braces or parentheses, a loop, a condition."""

    body: tuple[Pipeline, ...]
    redirects: tuple[Redirect, ...] = ()
    subshell: bool = False
    """Directory and variables do not outlive it."""
    function: str = ""
    """Set for a function's definition."""


class Pipeline(NamedTuple):
    """Stages joined by pipes; mostly one."""

    stages: tuple[Simple | Group, ...]


def parse(command: str) -> tuple[Pipeline, ...] | None:
    """The pipelines of a command in order; None when it is no shell text, too long or nested too deep."""
    if len(command) > _LONGEST:
        return None
    source = command.encode("utf-8", "surrogatepass").replace(b"\r\n", b"\n").replace(b"\\\n", b"")
    root = Parser(_BASH).parse(source).root_node
    if root.has_error:
        return None
    try:
        return tuple(_pipelines(root, 0))
    except UnreadableError:
        return None


def _pipelines(node: Node, depth: int) -> Iterator[Pipeline]:
    if depth > DEEPEST:
        raise UnreadableError
    if node.type in _STRUCTURES:
        if node.type == "for_statement":
            yield Pipeline((Simple((), ((text_of(node.child_by_field_name("variable")), UNKNOWN),)),))
        for child in _spine(node) if node.type == "list" else node.named_children:
            yield from _pipelines(child, depth + 1)
    elif node.type == "pipeline":
        stages = [stage for child in node.named_children for stage in _stage(child, depth + 1)]
        if len(stages) > _MOST_STAGES:
            raise UnreadableError
        if stages:
            yield Pipeline(tuple(stages))
    elif node.type == "redirected_statement":
        yield from _redirected(node, depth + 1)
    else:
        for stage in _stage(node, depth):
            yield Pipeline((stage,))


def _spine(node: Node) -> list[Node]:
    """The members of `a && b || c …`, which the grammar nests to the left."""
    members: list[Node] = []
    while node.type == "list":
        first, *rest = node.named_children
        members += reversed(rest)
        node = first
    return [node, *reversed(members)]


def _stage(node: Node, depth: int) -> Iterator[Simple | Group]:
    """The stages a node stands for; nothing for comments and bare words of a loop without substitutions."""
    if node.type in ("command", "declaration_command", "unset_command", "test_command"):
        yield _simple(node, depth)
    elif node.type in ("variable_assignment", "variable_assignments"):
        found = [node] if node.type == "variable_assignment" else node.named_children
        yield Simple((), tuple(map(_assignment, found)), inner=tuple(_substituted(node, depth)))
    elif node.type == "subshell":
        yield Group(tuple(_bodies(node, depth)), subshell=True)
    elif node.type == "function_definition":
        yield Group(tuple(_bodies(node, depth)), function=text_of(node.child_by_field_name("name")))
    elif node.type in _STRUCTURES or node.type in ("pipeline", "redirected_statement"):
        yield from _as_stages(tuple(_pipelines(node, depth + 1)))
    elif node.type != "comment":
        inner = tuple(_substituted(node, depth))
        if inner:
            yield Group(inner, subshell=True)


def _as_stages(body: tuple[Pipeline, ...]) -> Iterator[Simple | Group]:
    if len(body) == 1:
        yield from body[0].stages
    elif body:
        yield Group(body)


def _bodies(node: Node, depth: int) -> Iterator[Pipeline]:
    for child in node.named_children:
        yield from _pipelines(child, depth + 1)


def _redirected(node: Node, depth: int) -> Iterator[Pipeline]:
    """A statement with redirections, which belong to its last stage; a here-document's line may go on after it."""
    body = node.child_by_field_name("body")
    before = list(_pipelines(body, depth)) if body is not None else []
    if body is not None and body.type in _STRUCTURES - {"list"}:
        before = [Pipeline((Group(tuple(before)),))]
    after: list[Pipeline] = []
    redirects: list[Redirect] = []
    words: list[Word] = []
    inner: list[Pipeline] = []
    nodes = node.children_by_field_name("redirect")
    while nodes:
        one = nodes.pop(0)
        inner += _substituted(one, depth) if one.type != "heredoc_redirect" else ()
        if one.type != "heredoc_redirect":
            redirects.append(_redirect(one))
            words += map(word_of, one.children_by_field_name("destination")[1:])
            continue
        redirects.append(Redirect("<<", None))
        nodes += one.children_by_field_name("redirect")
        words += map(word_of, one.children_by_field_name("argument"))
        for child in one.named_children:
            if child.type == "heredoc_body":
                inner += _substituted(child, depth)
            elif child.type == "pipeline":
                after.insert(0, Pipeline(tuple(s for part in child.named_children for s in _stage(part, depth + 1))))
        for child in one.children_by_field_name("right"):
            after += _pipelines(child, depth + 1)
    if not before:
        before = [Pipeline((Simple(()),))]
    yield from before[:-1]
    yield from _joined(_attach(before[-1], tuple(redirects), tuple(words), tuple(inner)), node, after)


def _joined(first: Pipeline, node: Node, after: list[Pipeline]) -> Iterator[Pipeline]:
    """`cat <<E | grep x`: the grammar puts the rest of the pipeline into the here-document."""
    heredocs = [one for one in node.children_by_field_name("redirect") if one.type == "heredoc_redirect"]
    piped = any(child.type == "pipeline" for one in heredocs for child in one.named_children)
    if piped and after:
        yield Pipeline(first.stages + after[0].stages)
        yield from after[1:]
    else:
        yield first
        yield from after


def _attach(
    pipeline: Pipeline, redirects: tuple[Redirect, ...], words: tuple[Word, ...], inner: tuple[Pipeline, ...]
) -> Pipeline:
    *before, last = pipeline.stages
    if isinstance(last, Simple):
        done: Simple | Group = last._replace(
            words=last.words + words, redirects=last.redirects + redirects, inner=last.inner + inner
        )
    else:
        done = last._replace(redirects=last.redirects + redirects, body=last.body + inner)
    return Pipeline((*before, done))


def _redirect(node: Node) -> Redirect:
    if node.type == "herestring_redirect":
        return Redirect("<<<", None)
    operator = "".join(text_of(child) for child in node.children if not child.is_named)
    targets = node.children_by_field_name("destination")
    if any(target.start_point.row != node.start_point.row for target in targets):
        raise UnreadableError  # the grammar reads on in the next line; a shell refuses that
    descriptor = text_of(node.child_by_field_name("descriptor"))
    return Redirect(operator, word_of(targets[0]) if targets else None, to_errors=descriptor == "2")


def _simple(node: Node, depth: int) -> Simple:
    words: list[Word] = []
    assignments = []
    redirects = []
    if node.type in ("declaration_command", "unset_command"):
        words.append(Word((text_of(node.children[0]),)))
    elif node.type == "test_command":
        return Simple((Word(("test",)),), inner=tuple(_substituted(node, depth)))
    for child in node.named_children:
        if child.type == "variable_assignment":
            assignments.append(_assignment(child))
        elif child.type in ("file_redirect", "herestring_redirect"):
            redirects.append(_redirect(child))
            words += map(word_of, child.children_by_field_name("destination")[1:])
        elif child.type == "command_name":
            words += map(word_of, child.named_children or [child])
        else:
            words.append(word_of(child))
    return Simple(tuple(words), tuple(assignments), tuple(redirects), tuple(_substituted(node, depth)))


def _assignment(node: Node) -> tuple[str, Word]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    added = any(child.type == "+=" for child in node.children)
    plain = name is not None and name.type == "variable_name" and not added
    return text_of(name), (Word(("",)) if value is None else word_of(value)) if plain else UNKNOWN


def _substituted(node: Node, depth: int) -> Iterator[Pipeline]:
    """What the command and process substitutions inside a node run, nested ones by their own commands."""
    if depth > DEEPEST:
        raise UnreadableError
    for child in node.named_children:
        if child.type in ("command_substitution", "process_substitution"):
            yield from _bodies(child, depth + 1)
        else:
            yield from _substituted(child, depth + 1)
