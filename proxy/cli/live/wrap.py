"""`wrap -- CMD`: one agent through a live door."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable

import click

from config.settings import Settings
from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.live.certificates import certificates
from proxy.cli.reading import has_store, now_us, read_summaries, reader_of
from proxy.cli.views.sessions import Summary
from proxy.story import figures
from proxy.supervisor.ways.proxied import Certificates
from proxy.supervisor.ways.wish import Way
from proxy.supervisor.wrap import Wrapped
from proxy.supervisor.wrap import wrap as run_wrapped
from proxy.wiring.folder import DataFolder
from proxy.wiring.settings import loop_limits


@click.command(cls=page.Command, example="wrap -- claude", context_settings={"ignore_unknown_options": True})
@click.option("--record", is_flag=True, help="Keep contents too (capture.contents = full).")
@click.option("--intercept", is_flag=True, help="Be its HTTPS proxy and leave its base URL alone (extra: intercept).")
@click.option("--quiet", is_flag=True, help="Print nothing before and after the command.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@click.pass_context
def wrap(context: click.Context, *, record: bool, intercept: bool, quiet: bool, command: tuple[str, ...]) -> None:
    """Run one agent with its requests going through a relay. Its exit status is ours.

    Sets variables for the command alone and edits no file. Uses the relay of a running `serve` on the same data
    folder, or one of its own that ends with it. With --intercept the agent is told a proxy and certificates instead of
    a base URL, and believes that it speaks to its provider.
    """
    if command[0].startswith("-"):
        raise click.NoSuchOption(command[0], ctx=context)
    invocation: Invocation = context.obj
    said = settings.read(invocation, capture__contents=("--record", "full" if record else None)).settings

    def before(way: Way) -> None:
        if not quiet:
            _say(way.notes(os.environ, command[0]))

    def trusted(folder: DataFolder) -> Certificates:
        return certificates(folder, said.egress.ca_bundle)

    made = trusted if intercept else None
    done = asyncio.run(run_wrapped(said, command, environment=os.environ, before=before, certificates=made))
    if not quiet:
        _say(outcome(said, done))
    context.exit(done.status)


def _say(lines: Iterable[str]) -> None:
    """On stderr: standard output belongs to the command."""
    for line in lines:
        click.echo(f"{page.PROGRAM}: {line}", err=True)


def outcome(said: Settings, done: Wrapped) -> list[str]:
    """What was seen of it, and the next command."""
    found: list[Summary] = []
    if has_store(said):
        with reader_of(said) as reader:
            summaries = read_summaries(reader, loop_limits(said), since_us=0, now_us=now_us())
            found = [summary for summary in summaries if summary.session.run == done.run]
    if not found:
        return [
            f"no model call was seen: {done.way.when_unseen}",
            "next: compaction-gate status",
        ]
    return [*map(_line, found), f"next: {page.PROGRAM} session {_reference(found)}"]


def _line(summary: Summary) -> str:
    cost = figures.usd(summary.pico_usd) if summary.pico_usd is not None else "not priced"
    rereads = f"{figures.plural(summary.exact, 'exact re-read')}, {summary.partial} partial"
    compactions = figures.plural(summary.boundaries, "compaction")
    turns = figures.plural(summary.turns, "turn")
    return f"session {summary.session.session[:8]} · {turns} · {cost} · {compactions} · {rereads}"


def _reference(found: list[Summary]) -> str:
    return "last" if len(found) == 1 else max(found, key=lambda one: one.turns).session.session[:8]
