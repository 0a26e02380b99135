"""`status`: is it seeing my traffic."""

from __future__ import annotations

import shutil
from dataclasses import asdict, replace
from pathlib import Path

import click

from config.settings import Settings
from proxy.cli import options, page, settings
from proxy.cli.objects import echo_object
from proxy.cli.reading import has_store, now_us, reader_of
from proxy.cli.views.status import Process, Status, status_lines
from proxy.model.errors import CannotWriteError, InputError
from proxy.model.facts import ExchangeFact, SessionFact
from proxy.observer.tally import observer_snapshot
from proxy.page.memory import PageReader, Sample
from proxy.page.table import EXCHANGES_LOST, JOURNAL_OFF, REQUESTS
from proxy.supervisor.lag import lag_s
from proxy.supervisor.running import Running, read_running
from proxy.wiring.folder import DataFolder
from proxy.wiring.settings import data_folder
from proxy.wiring.spec import GIB


@click.command(cls=page.Command, example="status")
@options.output_format
@click.pass_context
def status(context: click.Context, form: str) -> None:
    """Say whether traffic is seen: what runs, what came by last, what could not be read, what was lost."""
    said = settings.read(context.obj).settings
    found = read_status(said)
    if form == "json":
        told = asdict(found)
        told["exchanges"] = [
            {"kind": kind, "reason": reason, "count": count} for (kind, reason), count in found.exchanges.items()
        ]
        echo_object(told)
    else:
        click.echo("\n".join(status_lines(found)))
    if not found.is_read:
        context.exit(InputError.exit_code)


def read_status(said: Settings) -> Status:
    """Everything, from wherever it stands; what cannot be read is not measured."""
    folder = data_folder(said)
    running = read_running(folder.running)
    is_running = running is not None and running.relay.is_alive()
    found = Status(
        now_us=now_us(),
        data=str(folder.path),
        by=running.by if running and is_running else "",
        since_us=running.since_us if running else None,
        processes=_processes(running) if running and is_running else (),
        last_by_upstream={said.relay.default_upstream: None} if said.relay.default_upstream else {},
        free_bytes=_free(folder.path),
        floor_bytes=int(said.capture.free_disk_floor_gib * GIB),
    )
    return _with_store(_with_observer(_with_page(found, folder), folder), said)


def _processes(running: Running) -> list[Process]:
    told = (
        ("supervisor", running.supervisor, running.admin_url),
        (running.door, running.relay, running.relay_url),
        ("observer", running.observer, ""),
    )
    return [
        Process(name=name, pid=identity.pid if identity and identity.is_alive() else None, where=where)
        for name, identity, where in told
    ]


def _free(path: Path) -> int:
    while not path.exists():
        path = path.parent
    return shutil.disk_usage(path).free


def _with_page(found: Status, folder: DataFolder) -> Status:
    samples = [value for value in PageReader(folder.page).read() if isinstance(value, Sample)]
    if not samples:
        return found
    lost = {dict(one.labels)["reason"]: int(one.value) for one in samples if one.metric is EXCHANGES_LOST}
    off = [one.value for one in samples if one.metric is JOURNAL_OFF]
    requests = sum(int(one.value) for one in samples if one.metric is REQUESTS)
    return replace(found, lost=lost, requests=requests, recording=not any(off) if found.by else None)


def _with_observer(found: Status, folder: DataFolder) -> Status:
    told = observer_snapshot(folder.observer)
    if told is None or not found.by:
        return found
    return replace(found, lag_s=lag_s(told, found.now_us), store_error=told["store_error"])


def _with_store(found: Status, said: Settings) -> Status:
    if not has_store(said):
        return found
    try:
        return _with_facts(found, said)
    except (InputError, CannotWriteError) as error:
        return replace(found, store_error=str(error), is_read=False)


def _with_facts(found: Status, said: Settings) -> Status:
    with reader_of(said) as reader:
        kinds = {
            (str(kind), str(reason)): count
            for (kind, reason), count in reader.counts(ExchangeFact, "kind", "reason").items()
        }
        last = dict(found.last_by_upstream) | {
            str(name): at for (name,), at in reader.latest(ExchangeFact, "opened_us", "upstream").items() if name
        }
        sessions = reader.counts(SessionFact).get((), 0)
    return replace(found, exchanges=kinds, last_by_upstream=last, sessions=sessions)
