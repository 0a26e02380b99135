"""`session ID`: one session's timeline, re-reads and bills."""

from __future__ import annotations

import click
import orjson

from proxy.cli import options, page
from proxy.cli.invocation import Invocation
from proxy.cli.reading import now_us, story_of
from proxy.cli.views.session import session_lines
from proxy.cli.views.session_json import session_object


@click.command(cls=page.Command, example="session last")
@click.argument("reference", metavar="ID")
@options.output_format
@click.pass_obj
def session(invocation: Invocation, reference: str, form: str) -> None:
    """Show a session: its context, what it read again, and the bill of each compaction.

    ID is an id, a unique beginning of one, the name that the client gave it, or `last`. The JSON is described in
    docs/session-json.md.
    """
    with story_of(invocation, reference) as (_, story):
        if form == "json":
            click.echo(orjson.dumps(session_object(story, now_us=now_us()), option=orjson.OPT_INDENT_2).decode())
        else:
            click.echo("\n".join(session_lines(story, now_us=now_us(), width=options.width())))
