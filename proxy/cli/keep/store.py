"""`store size|verify|prune|forget|dump`: what is kept."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import click

from config.settings import Settings
from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.reading import has_store, now_us
from proxy.cli.views.columns import aligned
from proxy.model.errors import CannotWriteError, InputError
from proxy.store import Database, Removed, Size, open_database, snapshot
from proxy.store.dump import dump as dump_store
from proxy.store.retention import forget as forget_session
from proxy.store.retention import prune as prune_store
from proxy.store.size import size as store_size
from proxy.store.verify import verify as verify_store
from proxy.story import figures
from proxy.wiring.folder import DataFolder
from proxy.wiring.observer import retention
from proxy.wiring.settings import data_folder


@click.group(cls=page.Group, example="store size")
def store() -> None:
    """What is kept, how large it is, and how it goes."""


@contextlib.contextmanager
def opened(invocation: Invocation) -> Iterator[tuple[Settings, Database]]:
    """The store that settings name; a missing one is not made."""
    said = settings.read(invocation).settings
    if not has_store(said):
        raise InputError(str(said.store.file), "", "no file", "a store; it is made by the first observed exchange")
    with open_database(said.store.database, create=False) as database:
        yield said, database


@store.command(example="store size")
@click.pass_obj
def size(invocation: Invocation) -> None:
    """Bytes of store and journal, and rows of each table."""
    with opened(invocation) as (said, database):
        click.echo("\n".join(size_lines(store_size(database), journal_bytes(data_folder(said)))))


def journal_bytes(folder: DataFolder) -> int:
    """Disk space that the journal's segments take."""
    return sum(path.stat().st_blocks * 512 for path in folder.journal.rglob("*") if path.is_file())


def size_lines(found: Size, journal: int) -> list[str]:
    """Sizes first, then rows."""
    rows = [
        ("store", figures.size(found.stored_bytes)),
        ("  of it contents", figures.size(found.contents_bytes)),
        ("  can be given back", figures.size(found.reclaimable_bytes)),
        ("journal", figures.size(journal)),
        *((f"rows of {name}", f"{count:,}") for name, count in found.rows.items()),
    ]
    return aligned(rows, right=(1,))


@store.command(example="store verify")
@click.pass_context
def verify(context: click.Context) -> None:
    """Look for damage and for figures that contradict each other. Leaves with 65 when it finds any."""
    with opened(context.obj) as (_, database):
        problems = verify_store(database)
    for problem in problems:
        click.echo(f"broken: {problem.rule}: {problem.rows} of them, the first: {problem.example}")
    if problems:
        context.exit(InputError.exit_code)
    click.echo("ok: nothing is damaged, nothing contradicts")


@store.command(example="store prune")
@click.pass_obj
def prune(invocation: Invocation) -> None:
    """Remove what is older or larger than `[capture]` allows. A running observer does it by itself."""
    with opened(invocation) as (said, database):
        keep = retention(said, at_us=now_us())
        removed = prune_store(database, keep)
    for name, limit in (("contents", keep.contents_since_us), ("figures", keep.figures_since_us)):
        assert limit is not None
        click.echo(f"{name} kept since {datetime.fromtimestamp(limit / 1e6, UTC):%Y-%m-%d}")
    click.echo(removed_line(removed))


def removed_line(removed: Removed) -> str:
    """What went."""
    return (
        f"removed: {figures.plural(removed.contents, 'content')}, {figures.plural(removed.sessions, 'session')}, "
        f"{figures.plural(removed.exchanges, 'exchange')}"
    )


@store.command(example="store forget --session 7f3a")
@click.option("--session", "reference", required=True, metavar="ID", help="Named as for `session`.")
@click.option("--vacuum", is_flag=True, help="Rewrite the whole file as well.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def forget(invocation: Invocation, *, reference: str, vacuum: bool, yes: bool) -> None:
    """Remove every trace of a session; its exchanges are never taken in again."""
    with opened(invocation) as (said, database):
        with snapshot(database) as reader:
            session = reader.session(reference)
        if not yes:
            when = figures.moment(session.last_us, None)
            click.confirm(f"forget session {session.session[:8]} of {session.client or 'unknown'}, {when}?", abort=True)
        removed = forget_session(database, session.session, vacuum=vacuum)
        click.echo(removed_line(removed))
        left = [writer for writer in removed.writers if (data_folder(said).journal / writer).is_dir()]
        if left:
            click.echo(
                f"journal segments of {figures.plural(len(left), 'relay')} may hold its bytes until they are read: "
                "a running observer does it, else next: compaction-gate observe --until-idle"
            )


@store.command(example="store dump --canonical > facts.jsonl")
@click.option("--canonical", is_flag=True, help="The one form there is: the same traffic gives the same bytes.")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), help="A file instead of standard output.")
@click.pass_obj
def dump(invocation: Invocation, *, canonical: bool, output: Path | None) -> None:  # noqa: ARG001  the form is named
    """Print every fact as JSON Lines, described in docs/store.md."""
    with opened(invocation) as (_, database):
        if output is None:
            dump_store(database, sys.stdout.buffer)
            return
        try:
            with output.open("wb") as out:
                dump_store(database, out)
        except OSError as error:
            raise CannotWriteError(f"{output}: {(error.strerror or 'cannot be written').lower()}") from None
