"""`session ID`: one session's timeline, re-reads and bills."""

from __future__ import annotations

import click

from proxy.cli import options, page
from proxy.cli.invocation import Invocation
from proxy.cli.objects import echo_object
from proxy.cli.reading import now_us, read_story, reading_session
from proxy.cli.views.session import session_lines
from proxy.cli.views.session_json import session_object
from proxy.model.errors import UsageError
from proxy.picture.page.html import html_page
from proxy.picture.svg import still_svg
from proxy.story.answers import answers


@click.command(cls=page.Command, example="session last --format html > session.html")
@click.argument("reference", metavar="ID")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "html", "svg"]), default="text", help="How to print it."
)
@click.option(
    "--contents", is_flag=True, help="Put what tools had answered into the HTML, where a full capture kept it."
)
@click.pass_obj
def session(invocation: Invocation, *, reference: str, form: str, contents: bool) -> None:
    """Show a session: its context, what it read again, and the bill of each compaction.

    ID is an id, a unique beginning of one, the name that the client gave it, or `last`. The JSON is described in
    docs/session-json.md, the picture in docs/session.md; the HTML is one file that asks nobody for anything.
    """
    if contents and form != "html":
        raise UsageError(f"--contents goes with --format html; --format {form} never holds contents")
    with reading_session(invocation, reference) as (_, reader, found):
        story = read_story(reader, found)
        told = answers(reader.contents_of(found.session)) if contents else {}
    if contents and not told:
        click.echo('no contents are kept of this session: that needs capture.contents = "full"', err=True)
    match form:
        case "json":
            echo_object(session_object(story, now_us=now_us()))
        case "html":
            click.echo(html_page(story, contents=told), nl=False)
        case "svg":
            click.echo(still_svg(story), nl=False)
        case _:
            click.echo("\n".join(session_lines(story, now_us=now_us(), width=options.width())))
