"""`compare A B`: two sessions, where they part first, and the difference of each figure."""

from __future__ import annotations

import click

from proxy.cli import options, page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.objects import echo_object
from proxy.cli.reading import NOTHING_YET, has_store, read_story, reader_of
from proxy.cli.views.compare import compare_lines, compare_object
from proxy.model.errors import UsageError
from proxy.story.comparison import compared


@click.command(cls=page.Command, example="compare 7f3a 91c0")
@click.argument("left", metavar="A")
@click.argument("right", metavar="B")
@options.output_format
@click.pass_obj
def compare(invocation: Invocation, left: str, right: str, form: str) -> None:
    """Show the first turn at which two sessions differ in what they ask for or in a compaction, and their figures.

    A and B are named as for `session`. Sessions of different sources are refused; other doors, clients or models are
    said above the figures.
    """
    said = settings.read(invocation).settings
    if not has_store(said):
        raise UsageError(NOTHING_YET.format(data=said.store.data))
    with reader_of(said) as reader:
        mine, yours = (read_story(reader, reader.session(reference)) for reference in (left, right))
    found = compared(mine, yours)
    if form == "json":
        echo_object(compare_object(mine, yours, found))
    else:
        click.echo("\n".join(compare_lines(mine, yours, found)))
