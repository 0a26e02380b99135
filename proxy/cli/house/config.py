"""`config init|show|check`: settings, and where each value comes from."""

from __future__ import annotations

import os
from pathlib import Path

import click

from config.errors import shown
from config.layers import defaults_text
from config.load import Loaded, user_file
from proxy.cli import page, settings
from proxy.cli.invocation import Invocation
from proxy.model.errors import CannotWriteError


@click.group(cls=page.Group, example="config show")
def config() -> None:
    """Settings, and where each value comes from."""


@config.command(example="config init")
@click.argument("file", required=False)
def init(file: str | None) -> None:
    """Write a settings file that holds every default.

    FILE is ~/.config/compaction-gate/compaction-gate.toml when not named (that one is read by itself); `-` prints it.
    """
    if file == "-":
        click.echo(defaults_text(), nl=False)
        return
    path = Path(file) if file else user_file(os.environ)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as out:
            out.write(defaults_text())
    except FileExistsError:
        raise CannotWriteError(f"{path}: there is a file already, and it may hold your changes") from None
    except OSError as error:
        raise CannotWriteError(f"{path}: {error.strerror}") from None
    click.echo(f"written: {path}")
    if file:
        click.echo(f"use it: compaction-gate --config {path} serve")


@config.command(example="config show")
@click.pass_obj
def show(invocation: Invocation) -> None:
    """Every setting with its value and its origin."""
    loaded = settings.read(invocation)
    for line in setting_lines(loaded):
        click.echo(line)


@config.command(example="config check")
@click.pass_obj
def check(invocation: Invocation) -> None:
    """Read the settings and the files they name, and say what is wrong with them."""
    loaded = settings.read(invocation)
    from proxy.wiring.inputs import check_files  # noqa: PLC0415  init and show need no price tables

    check_files(loaded.settings)
    changed = sum(value.origin != "default" for value in loaded.values.values())
    click.echo(f"ok: {len(loaded.values)} settings, {changed} set by you · file: {loaded.file or 'none'}")


def setting_lines(loaded: Loaded) -> list[str]:
    """One line for each setting, origins in one column."""
    rows = [(f"{key} = {shown(key, value.raw)}", value.origin) for key, value in loaded.values.items()]
    width = max(len(text) for text, _ in rows)
    return [f"{text:<{width}}  # {origin}" for text, origin in rows]
