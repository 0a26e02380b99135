"""`doctor`: what may be in the way between an agent, us and its provider. Connects, and sends nothing."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import ssl
import time
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

import click

from config.errors import SettingsError
from config.layers import DEFAULT
from config.load import Loaded
from config.settings import Endpoint, Settings
from config.tool_rules import read as read_rules
from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.reading import has_store, now_us, reader_of
from proxy.cli.views.doctor import Check, doctor_lines, worst
from proxy.model.errors import CannotWriteError, GateError, InputError, UnreachableError
from proxy.relay.dial import DialError, Dialler, client_tls
from proxy.relay.settings import RelaySettings, Upstream
from proxy.story import figures
from proxy.supervisor.running import Running, read_running
from proxy.supervisor.ways.base_url import BASE_URL
from proxy.wiring.folder import DataFolder
from proxy.wiring.relay import relay_settings
from proxy.wiring.settings import data_folder, relay_spec
from proxy.wiring.spec import GIB, read_relay_spec

AROUND = ("CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY")
"""With one of these set Claude Code does not use the base URL."""
TIMEOUT_S = 5.0


@click.command(cls=page.Command, example="doctor")
@click.pass_context
def doctor(context: click.Context) -> None:
    """Look at settings, disk, ports, upstreams, clock and the client's variables. Connects, but sends no request."""
    invocation: Invocation = context.obj
    loaded = settings.read(invocation)
    checks = list(all_checks(loaded, os.environ, Path.home()))
    click.echo("\n".join(doctor_lines(checks)))
    context.exit(worst(checks))


def all_checks(loaded: Loaded, environment: Mapping[str, str], home: Path) -> Iterator[Check]:
    """Everything, in the order of the way."""
    said = loaded.settings
    folder = data_folder(said)
    running = read_running(folder.running)
    running = running if running is not None and running.relay.is_alive() else None
    yield Check(name="settings", is_well=True, said=f"file: {loaded.file or 'none'}")
    yield _folder(folder)
    yield _disk(said, folder)
    yield _ports(said, running)
    yield from _upstreams(said, {key for key, value in loaded.values.items() if value.origin != DEFAULT}, running)
    yield _store(said)
    yield from _tool_rules(said)
    yield from _client(environment, home, running)


def _folder(folder: DataFolder) -> Check:
    try:
        folder.prepare()
    except CannotWriteError as error:
        advice = "choose another with --data or store.data"
        return Check(name="data folder", is_well=False, said=str(error), advice=advice, exit_code=error.exit_code)
    if folder.is_open_to_others():
        advice = f"chmod 700 {folder.path}"
        said = f"{folder.path}: other users can list it; what is in it is for you alone"
        return Check(name="data folder", is_well=False, said=said, advice=advice)
    return Check(name="data folder", is_well=True, said=f"{folder.path}, for you alone")


def _disk(said: Settings, folder: DataFolder) -> Check:
    path = folder.path if folder.path.exists() else Path("/")
    free, floor = shutil.disk_usage(path).free, int(said.capture.free_disk_floor_gib * GIB)
    return Check(
        name="disk",
        is_well=free > floor,
        said=f"{figures.size(free)} free; recording stops below {figures.size(floor)}",
        advice="free some space, or lower capture.free_disk_floor_gib",
        exit_code=CannotWriteError.exit_code,
    )


def _ports(said: Settings, running: Running | None) -> Check:
    if running is not None:
        return Check(name="ports", is_well=True, said=f"`{running.by}` runs: relay at {running.relay_url}")
    taken = [str(listen) for listen in (said.relay.listen, said.admin.listen) if not _is_free(listen)]
    return Check(
        name="ports",
        is_well=not taken,
        said=f"in use by another program: {', '.join(taken)}" if taken else "free for `serve`",
        advice="set relay.listen or admin.listen to another port; `wrap` takes a free one by itself",
    )


def _is_free(listen: Endpoint) -> bool:
    family = socket.AF_INET6 if ":" in listen.host else socket.AF_INET
    try:
        socket.create_server(tuple(listen), family=family).close()
    except OSError:
        return False
    return True


def _upstreams(said: Settings, told_by_user: Container[str], running: Running | None) -> Iterator[Check]:
    """The default upstream and those that the user set, here or for what runs; a shipped one may never be used."""
    ours = relay_spec(said)
    try:
        spec = read_relay_spec(data_folder(said).spec(running.door)) if running else ours
        told = relay_settings(spec)
        dialler = Dialler(told.egress, client_tls(told.ca_bundle), min(TIMEOUT_S, told.connect_timeout_s))
    except (InputError, OSError, ssl.SSLError) as error:
        yield Check(name="relay", is_well=False, said=str(error), exit_code=InputError.exit_code)
        return
    for name, upstream in sorted(told.upstreams.items()):
        is_set = f"upstreams.{name}.url" in told_by_user or ours.upstreams.get(name) != spec.upstreams[name]
        if is_set or name == spec.default_upstream:
            yield _upstream(name, upstream, told, dialler)


def _upstream(name: str, upstream: Upstream, told: RelaySettings, dialler: Dialler) -> Check:
    proxy = told.egress.proxy_for(upstream.host, upstream.port) if upstream.tls else None
    way = f" through {proxy.host}:{proxy.port}" if proxy else ""
    where = f"{upstream.host}:{upstream.port}{way}"
    began = time.monotonic()
    try:
        asyncio.run(_touch(dialler, upstream))
    except DialError as error:
        return Check(
            name=f"upstream {name}",
            is_well=False,
            said=f"{where}: {error.kind.value.replace('_', ' ')}: {error.reason}",
            advice="behind a proxy set HTTPS_PROXY or egress.proxy; for a private authority set egress.ca_bundle",
            exit_code=UnreachableError.exit_code,
        )
    took = figures.span(int((time.monotonic() - began) * 1_000_000))
    tls = "TLS verified" if upstream.tls else "no TLS"
    return Check(name=f"upstream {name}", is_well=True, said=f"{where}: connected in {took}, {tls}")


async def _touch(dialler: Dialler, upstream: Upstream) -> None:
    protocol = _Closing()
    await dialler.dial(upstream, protocol)


class _Closing(asyncio.Protocol):
    """Connects and goes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport.close()


def _store(said: Settings) -> Check:
    """The store opens, and nothing in it is of a time to come."""
    if not has_store(said):
        return Check(name="store", is_well=True, said="none yet; the first observed exchange makes it")
    try:
        with reader_of(said) as reader:
            sessions = reader.sessions(limit=1)
    except GateError as error:
        return Check(name="store", is_well=False, said=str(error), exit_code=error.exit_code)
    ahead_us = sessions[0].last_us - now_us() if sessions else 0
    ahead = f"the newest session is {figures.span(ahead_us)} ahead of the clock"
    return Check(
        name="store and clock",
        is_well=ahead_us <= 0,
        said="opens; clock agrees" if ahead_us <= 0 else ahead,
        advice="the clock was put back: times of sessions cannot be compared across that moment",
    )


def _tool_rules(said: Settings) -> Iterator[Check]:
    """Every entry of the user's rules is in force."""
    if not said.tools.files:
        return
    try:
        found = read_rules(said.tools.files)
    except SettingsError as error:
        yield Check(name="tool rules", is_well=False, said=str(error), exit_code=SettingsError.exit_code)
        return
    for problem in found.problems:
        advice = "this entry is left out, the rest is in force; correct it there"
        code = SettingsError.exit_code
        yield Check(name="tool rules", is_well=False, said=str(problem), advice=advice, exit_code=code)
    if not found.problems:
        own = sum(len(document["tools"]) for document in found.documents[:-1])
        yield Check(name="tool rules", is_well=True, said=f"{figures.plural(own, 'rule')} of yours in force")


def _client(environment: Mapping[str, str], home: Path, running: Running | None) -> Iterator[Check]:
    """What a client started from here would do."""
    url = environment.get(BASE_URL, "")
    relay = running.relay_url if running else ""
    if not url:
        yield Check(name="client", is_well=True, said=f"{BASE_URL} is not set; `wrap` sets it for one command")
    elif relay and url.startswith(relay):
        yield Check(name="client", is_well=True, said=f"{BASE_URL} is our relay")
    else:
        said = f"{BASE_URL} is set to {url.rpartition('@')[2]}, not to a running relay of ours"
        yield Check(name="client", is_well=True, said=f"{said}; `wrap` relays to it")
    for name in AROUND:
        if environment.get(name):
            said = f"{name} is set: Claude Code then goes around a base URL"
            yield Check(name="client", is_well=False, said=said, advice=f"unset {name} to be seen")
    if held := _settings_file(home / ".claude" / "settings.json"):
        said = f"~/.claude/settings.json sets {BASE_URL}, which overrides variables ({held})"
        yield Check(name="client", is_well=False, said=said, advice="remove it there, or point it at the relay")


def _settings_file(path: Path) -> str:
    """The base URL that Claude Code's own settings file sets; nothing else of the file is looked at."""
    try:
        value = json.loads(path.read_text("utf-8")).get("env", {}).get(BASE_URL, "")
    except (OSError, ValueError, AttributeError):
        return ""
    return str(value).rpartition("@")[2]
