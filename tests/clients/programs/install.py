"""Brings the pinned clients through the machine's own npm, uv and pip, once, below `build/`."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from tests.clients.programs.packages import Npm, Package, Pypi

ROOT = Path(__file__).parents[3]
CACHE = ROOT / "build" / "clients"
AT_A_TIME = 2


class NotAvailableError(Exception):
    """A client cannot be had on this machine; the message says why."""


async def install_all(cache: Path = CACHE) -> dict[Npm | Pypi, Path | NotAvailableError]:
    """The program of each client, or why it cannot be had."""
    places = asyncio.Semaphore(AT_A_TIME)

    async def one(package: Npm | Pypi) -> Path | NotAvailableError:
        async with places:
            try:
                return await install(package, cache)
            except NotAvailableError as reason:
                return reason

    packages: list[Npm | Pypi] = [*Npm, *Pypi]
    return dict(zip(packages, await asyncio.gather(*map(one, packages)), strict=True))


async def install(package: Npm | Pypi, cache: Path = CACHE) -> Path:
    """The program of one client.

    Raises:
        NotAvailableError: its installer is missing, does not reach its registry, or what it brought is not it.
    """
    wanted = package.value
    folder = cache / f"{wanted.name}-{wanted.version}"
    program: Path = folder / ("node_modules/.bin" if isinstance(package, Npm) else "bin") / wanted.program
    ready = folder / ".ready"
    if _text(ready) != " ".join(wanted.specs):
        await (_from_npm if isinstance(package, Npm) else _from_pypi)(wanted, folder)
    said = await _said_version(wanted, folder, program)
    if wanted.version not in said:
        raise NotAvailableError(f"{wanted.name} says that it is {said.strip()[:80]!r}, not {wanted.version}")
    _write(ready, " ".join(wanted.specs))
    return program


async def _from_npm(package: Package, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise NotAvailableError("npm is not installed")
    _write(folder / "package.json", '{"private": true}\n')
    await _output(npm, "install", "--no-fund", "--no-audit", "--prefix", str(folder), *package.specs)


async def _from_pypi(package: Package, folder: Path) -> None:
    python, uv = str(folder / "bin" / "python"), _uv_program()
    if uv:
        await _output(uv, "venv", "-q", "--clear", "--python", sys.executable, str(folder))
        await _output(uv, "pip", "install", "-q", "--python", python, *package.specs)
    else:
        await _output(sys.executable, "-m", "venv", "--clear", str(folder))
        await _output(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *package.specs)


def _uv_program() -> str | None:
    own = ROOT / ".tools" / "uv" / "bin" / "uv"
    return str(own) if own.exists() else shutil.which("uv")


def _exists(path: Path) -> bool:
    return path.exists()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


async def _said_version(package: Package, folder: Path, program: Path) -> str:
    if not _exists(program):
        raise NotAvailableError(f"{package.name}: {program.name} is not there after the installation")
    if program.parent.name == ".bin":
        return await _output(str(program), "--version")
    name = package.specs[0].partition("==")[0].partition("[")[0]
    asking = f"import importlib.metadata as m; print(m.version({name!r}))"
    return await _output(str(folder / "bin" / "python"), "-c", asking)


async def _output(*command: str) -> str:
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "UV_SYSTEM_CERTS": "1"},
    )
    stdout, stderr = await process.communicate()
    if process.returncode != 0:
        said = stderr.decode(errors="replace").strip().splitlines()
        raise NotAvailableError(f"{Path(command[0]).name} {command[1]}: {said[-1] if said else process.returncode}")
    return stdout.decode(errors="replace")
