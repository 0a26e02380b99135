"""Sets the demo up and plays it: provider, relay and agent at once, then the observer over what was journalled."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from pathlib import Path

from config.load import load
from config.settings import Settings
from proxy.demo import project, task
from proxy.demo.agent import Agent, Limits
from proxy.demo.tools import Toolbox
from proxy.model.errors import CannotWriteError
from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.settings import ProviderSettings
from proxy.store import Reader, open_database, snapshot
from proxy.supervisor.children import Child, first_line
from proxy.wiring.folder import DataFolder, write_private
from proxy.wiring.observer import observe_until_idle
from proxy.wiring.settings import data_folder, relay_spec

MODEL = "claude-opus-4-8"
"""Asked for by name alone, so that the script's tokens have real prices."""
CONTEXT_TOKENS = 40_500
"""Reached by the answer of turn 10."""
MARK = ".compaction-gate-demo"


def play(folder: Path) -> Settings:
    """Play the whole session in `folder`, replacing what an earlier demo left there; gives the store's settings.

    Raises:
        CannotWriteError: the folder holds something else, or cannot be written.
        UnreachableError: the agent got no answer.
    """
    _prepare(folder)
    settings = asyncio.run(_perform(folder))
    observe_until_idle(settings, source="simulated")
    return settings


@contextmanager
def opened(settings: Settings) -> Iterator[Reader]:
    """What was found."""
    with open_database(settings.store.database, create=False) as database, snapshot(database) as reader:
        yield reader


def _prepare(folder: Path) -> None:
    mark = folder / MARK
    try:
        if folder.exists() and any(folder.iterdir()) and not mark.exists():
            raise CannotWriteError(f"{folder}: holds something that is not an earlier demo; name another folder")
        for part in ("data", "project"):
            shutil.rmtree(folder / part, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        mark.touch()
        project.lay_out(folder / "project")
    except OSError as failure:
        raise CannotWriteError(f"{folder}: {(failure.strerror or 'cannot be written').lower()}") from None


async def _perform(folder: Path) -> Settings:
    provider = Provider(ProviderSettings(scripts=(task.SCRIPT,), habits=task.HABITS, deterministic=True))
    async with serving(provider) as provider_url:
        settings = _settings(folder, provider_url)
        tools = Toolbox(folder / "project", {"check_timeout": project.check_timeout})
        async with (
            _relaying(settings) as relay_url,
            Agent(relay_url, "demo", MODEL, task.SYSTEM, tools, Limits(context_tokens=CONTEXT_TOKENS)) as agent,
        ):
            await agent.work(task.PROMPT)
    return settings


def _settings(folder: Path, provider_url: str) -> Settings:
    said = {
        "store.data": str(folder / "data"),
        "relay.listen": "127.0.0.1:0",
        "upstreams.anthropic.url": provider_url,
        "egress.proxy": "none",
        "capture.contents": "full",
        "capture.free_disk_floor_gib": 0,
    }
    # Neither variables nor a settings file of the user have a say: the same demo everywhere.
    nowhere = {"XDG_CONFIG_HOME": str(folder / "no-config")}
    return load(environment=nowhere, options={key: ("demo", value) for key, value in said.items()}).settings


@asynccontextmanager
async def _relaying(settings: Settings) -> AsyncIterator[str]:
    """A relay in a process of its own inside the block; it has written its journal when the block is left."""
    folder: DataFolder = data_folder(settings)
    folder.prepare()
    write_private(folder.spec("relay"), replace(relay_spec(settings), drain_s=1.0).encode())
    reading, writing = os.pipe()
    try:
        child = Child.start(
            "relay",
            folder.spec("relay"),
            pass_fds=(writing,),
            extra=("--ready-fd", str(writing)),
            log=folder.path / "relay.log",
        )
    finally:
        os.close(writing)
    try:
        listening = json.loads(await first_line(reading, child))
        yield f"http://{listening['host']}:{listening['port']}"
    finally:
        child.send(signal.SIGTERM)
        await child.ended()
        child.close()
