"""`audit sample|import`: check the labels by hand."""

from __future__ import annotations

from pathlib import Path

import click

from proxy.cli import options, page, settings
from proxy.cli.auditing.filled import LABELS, read_filled
from proxy.cli.auditing.lines import audit_lines
from proxy.cli.auditing.sample import CallKey, draw
from proxy.cli.auditing.sheet import Surroundings, sheet
from proxy.cli.invocation import Invocation
from proxy.cli.keep.store import opened
from proxy.cli.objects import echo_object
from proxy.cli.reading import NOTHING_YET, has_store, now_us, read_audited, reader_of
from proxy.cli.rules.calls import arguments_by_call
from proxy.model.errors import UsageError
from proxy.model.facts import BoundaryFact, CallFact
from proxy.model.ids import SessionId
from proxy.store import Reader, keep_hand_labels, snapshot
from proxy.story.answers import answers
from proxy.story.audit import precisions


@click.group(cls=page.Group, example="audit sample --n 50 --seed 1 > audit.csv")
def audit() -> None:
    """Let people judge a sample of calls, and see how often they agree with the classes (V46)."""


@audit.command(example="audit sample --n 50 --seed 1 > audit.csv")
@click.option("--n", "size", type=click.IntRange(1, 10_000), default=50, show_default=True, help="Calls on the sheet.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed and store give the same sheet.")
@click.pass_obj
def sample(invocation: Invocation, *, size: int, seed: int) -> None:
    """Print a sheet of calls, as many of each class as can be had, without the classes; fill `hand_label`.

    A row names the call, its tool, resource, span and digests, the earlier calls of the same resource and the
    boundaries between; at capture.contents = "full" also arguments and answer. docs/classes.md explains the classes.
    """
    said = settings.read(invocation).settings
    if not has_store(said):
        raise UsageError(NOTHING_YET.format(data=said.store.data))
    with reader_of(said) as reader:
        drawn = draw(reader.facts(CallFact), size=size, seed=seed)
        if not drawn.calls:
            raise UsageError("no answered call so far: nothing to judge")
        text = sheet(drawn, _surroundings(reader, {call.session for call in drawn.calls}))
    click.echo(text, nl=False)
    click.echo(f"{len(drawn.calls)} calls; fill hand_label with one of {', '.join(LABELS)}", err=True)
    click.echo("next: compaction-gate audit import audit.csv", err=True)


def _surroundings(reader: Reader, sessions: set[SessionId]) -> Surroundings:
    pieces = {session: list(reader.contents_of(session)) for session in sessions}
    return Surroundings(
        calls={one: reader.facts(CallFact, session=one) for one in sessions},
        boundaries={one: reader.facts(BoundaryFact, session=one) for one in sessions},
        arguments={one: arguments_by_call(pieces[one]) for one in sessions},
        answers={one: answers(pieces[one]) for one in sessions},
    )


@audit.command("import", example="audit import audit.csv")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@options.output_format
@click.pass_obj
def import_(invocation: Invocation, *, file: Path, form: str) -> None:
    """Take a filled sheet in, all of it or nothing, and print the precision of each class.

    Rows without a label are left out; a call that is judged again keeps the later label.
    """
    with opened(invocation) as (_, database):
        with snapshot(database) as reader:
            filled = read_filled(file, lambda key: _call(reader, key), now_us=now_us())
        keep_hand_labels(database, filled.labels)
        with snapshot(database) as reader:
            audited = read_audited(reader)
    if form == "json":
        told = [one._asdict() | {"interval": list(one.interval)} for one in precisions(audited)]
        rows = [row | {"others": {str(label): count for label, count in row["others"].items()}} for row in told]
        echo_object(rows)
        return
    click.echo(f"taken in: {len(filled.labels)} labels; left out: {filled.empty} rows without one")
    click.echo("\n".join(audit_lines(audited)))


def _call(reader: Reader, key: CallKey) -> CallFact | None:
    found = reader.facts(CallFact, session=key.session, thread=key.thread, turn=key.turn, index=key.place)
    return found[0] if found else None
