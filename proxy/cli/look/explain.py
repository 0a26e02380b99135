"""`explain ID`: why one call got its class, or what one boundary did."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from proxy.cli import options, page
from proxy.cli.invocation import Invocation
from proxy.cli.objects import echo_object
from proxy.cli.reading import story_of
from proxy.cli.views.explain import boundary_lines, call_lines
from proxy.cli.views.session_json import boundary_object, call_object
from proxy.model.errors import UsageError
from proxy.model.facts import CallFact
from proxy.story import figures
from proxy.story.naming import name_of_call
from proxy.story.story import Story

_CALL = re.compile(r"(?:(?P<thread>.+):)?t(?P<turn>\d+)(?::c(?P<call>\d+))?")
_BOUNDARY = re.compile(r"b(\d+)")
FORMS = "SESSION:b1, SESSION:t14:c2, SESSION:THREAD:t14:c2 or SESSION:toolu_…"


@click.command(cls=page.Command, example="explain last:b1")
@click.argument("reference", metavar="ID")
@options.output_format
@click.pass_obj
def explain(invocation: Invocation, reference: str, form: str) -> None:
    """Show the hashes, ids and rules that gave one call its class, or what one boundary dropped and cost.

    ID is SESSION:t14:c2 (second call of turn 14), SESSION:b1 (first compaction) or SESSION:toolu_… (the provider's
    id); SESSION is named as for `session`. Calls of sub-agents: SESSION:agent:1f3c:t2:c1.
    """
    session, _, rest = reference.partition(":")
    with story_of(invocation, session) as (_, story):
        found = named(story, rest)
    if form == "json":
        told = _objects(story, found)
        echo_object(told)
    else:
        click.echo("\n".join(explained(story, found)))


@dataclass(frozen=True, slots=True)
class Named:
    """What a name stands for: the boundary of that number, or calls."""

    boundary: int | None
    calls: Sequence[CallFact] = ()


def named(story: Story, what: str) -> Named:
    """The boundary or the calls of that name.

    Raises:
        UsageError: nothing in the session has it.
    """
    if found := _BOUNDARY.fullmatch(what):
        number = int(found[1])
        if not 1 <= number <= len(story.bills):
            raise UsageError(f"{what}: this session has {figures.plural(len(story.bills), 'compaction')} so far")
        return Named(number)
    calls = _calls(story, what)
    if not what:
        raise UsageError(f"no call or compaction is named; expected {FORMS}")
    if not calls:
        raise UsageError(f"{what}: no such call or compaction in this session; expected {FORMS}")
    return Named(None, calls)


def explained(story: Story, found: Named) -> list[str]:
    """The page of a boundary or of calls."""
    if found.boundary is not None:
        return boundary_lines(story, found.boundary, story.bills[found.boundary - 1])
    lines: list[str] = []
    for call in found.calls:
        lines += [*([""] if lines else []), *call_lines(story, call)]
    return lines


def _objects(story: Story, found: Named) -> list[dict[str, Any]]:
    """As in docs/session-json.md."""
    if found.boundary is not None:
        return [boundary_object(found.boundary, story.bills[found.boundary - 1])]
    return [call_object(story, call) for call in found.calls]


def _calls(story: Story, what: str) -> list[CallFact]:
    if found := _CALL.fullmatch(what):
        thread, turn, index = found["thread"] or "main", int(found["turn"]), found["call"]
        return [
            call
            for call in story.calls
            if (call.thread, call.turn) == (thread, turn) and (index is None or call.index == int(index) - 1)
        ]
    return [call for call in story.calls if call.call == what or name_of_call(story, call) == what]
