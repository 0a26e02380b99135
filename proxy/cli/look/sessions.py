"""`sessions`: the list, the worst first."""

from __future__ import annotations

from dataclasses import asdict

import click

from proxy.cli import options, page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.objects import echo_object
from proxy.cli.reading import NOTHING_YET, has_store, now_us, read_audited, read_summaries, reader_of
from proxy.cli.views.sessions import Summary, sessions_lines
from proxy.story.audit import Audited, audit_line
from proxy.wiring.settings import loop_limits


@click.command(cls=page.Command, example="sessions --looping --since 1h")
@click.option("--looping", is_flag=True, help="Only those that loop now, or, with --since, did so in that time.")
@options.since
@options.output_format
@click.pass_obj
def sessions(invocation: Invocation, *, looping: bool, since: int | None, form: str) -> None:
    """List the sessions, worst first: loops, then tokens fetched again, then compactions."""
    said = settings.read(invocation).settings
    now = now_us()
    found: list[Summary] = []
    audited: list[Audited] = []
    if has_store(said):
        with reader_of(said) as reader:
            audited = read_audited(reader)
            found = read_summaries(reader, loop_limits(said), since_us=now - since if since else 0, now_us=now)
    shown = [summary for summary in found if not looping or _loops(summary, now - since if since else None)]
    if form == "json":
        rows = [{**asdict(summary), **asdict(summary.session)} for summary in shown]
        echo_object(rows)
    elif shown:
        click.echo("\n".join([*sessions_lines(shown), audit_line(audited)]))
    elif found:
        when = "looped in that time" if since else "loops now"
        click.echo(f"no session {when}; {len(found)} seen\nnext: compaction-gate sessions")
    else:
        click.echo(
            NOTHING_YET.format(data=said.store.data)
            if not since
            else "no session in that time\nnext: compaction-gate sessions"
        )


def _loops(summary: Summary, since_us: int | None) -> bool:
    """Now, or since then."""
    return summary.looping or (since_us is not None and (summary.looped_us or 0) >= since_us)
