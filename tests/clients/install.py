"""Brings pinned versions of Claude Code through the machine's own npm, once, below `build/`."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

PACKAGE = "@anthropic-ai/claude-code"
CACHE = Path(__file__).parents[2] / "build" / "clients"
VERSIONS = ("2.1.197", "2.1.332")
"""2.1.197 answers a repeated Read with a stub of its own; 2.1.332 reads again."""


class NotAvailableError(Exception):
    """A client cannot be had on this machine; the message says why."""


async def install(version: str, cache: Path) -> Path:
    """The program of one version.

    Raises:
        NotAvailableError: npm is missing, does not reach its registry, or what it brought does not run.
    """
    folder = cache / f"claude-code-{version}"
    program = folder / "node_modules" / ".bin" / "claude"
    if not program.exists():
        await _fetch(version, folder)
    said = await _output(str(program), "--version")
    if not said.startswith(version):
        raise NotAvailableError(f"{program} --version says {said.strip()[:80]!r}")
    return program


async def _fetch(version: str, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotAvailableError("npm is not installed")
    _prepare(folder)
    await _output(npm, "install", "--no-fund", "--no-audit", "--prefix", str(folder), f"{PACKAGE}@{version}")


def _prepare(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "package.json").write_text('{"private": true}\n', encoding="utf-8")


async def _output(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    stdout, stderr = await process.communicate()
    if process.returncode != 0:
        said = stderr.decode(errors="replace").strip().splitlines()
        raise NotAvailableError(f"{Path(command[0]).name} {command[1]}: {said[-1] if said else process.returncode}")
    return stdout.decode(errors="replace")
