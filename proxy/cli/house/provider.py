"""`provider`: the scripted provider, for trying things without key and network."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from proxy.cli import page
from proxy.model.errors import CannotWriteError
from proxy.scripted.app import run_provider
from proxy.scripted.faces.chat.servers import SERVERS
from proxy.scripted.script import Habits
from proxy.scripted.script_file import load_scripts
from proxy.scripted.settings import Encoding, Latency, ProviderSettings

SHARE = click.FloatRange(0, 1)
UPSTREAMS = ("ANTHROPIC", "OPENAI", "GEMINI")
"""Shipped upstreams that it can stand for as it is; that of a ChatGPT login has a path of its own."""


@click.command(cls=page.Command, example="provider --port 8080")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port to listen at; 0 takes a free one.")
@click.option("--script", type=click.Path(path_type=Path), help="TOML file of scripts; prompts name them.")
@click.option(
    "--chat-server",
    default="openai",
    show_default=True,
    type=click.Choice(list(SERVERS)),
    help="Whose Chat Completions to speak.",
)
@click.option("--sockets/--no-sockets", default=True, help="Take WebSockets at /v1/responses, or answer 404.")
@click.option("--seed", default=0, help="Seed of everything drawn.")
@click.option("--deterministic", is_flag=True, help="Logical clock, ids from the seed: the same bytes each time.")
@click.option("--habit", default=0.0, type=SHARE, help="Share of needless re-reads (V45).")
@click.option("--other-range", default=0.0, type=SHARE, help="Share of re-reads by another range (V45).")
@click.option(
    "--encoding",
    default="identity",
    type=click.Choice([each.value for each in Encoding]),
    help="Content encoding of answers.",
)
@click.option("--first-byte", default=0.0, help="Seconds before an answer begins.")
def provider(  # noqa: PLR0913  one parameter for each option
    *,
    host: str,
    port: int,
    script: Path | None,
    chat_server: str,
    sockets: bool,
    seed: int,
    deterministic: bool,
    habit: float,
    other_range: float,
    encoding: str,
    first_byte: float,
) -> None:
    """Answer Anthropic Messages, OpenAI Responses, Chat Completions and Gemini by a script.

    Shows arithmetic and wiring, not how a model behaves.
    """
    told = ProviderSettings(
        host=host,
        port=port,
        scripts=() if script is None else load_scripts(script),
        chat_server=SERVERS[chat_server],
        sockets=sockets,
        seed=seed,
        deterministic=deterministic,
        habits=Habits(reread=habit, other_range=other_range),
        encoding=Encoding(encoding),
        latency=Latency(first_byte_s=first_byte),
    )
    try:
        asyncio.run(run_provider(told, ready=_announce))
    except OSError as error:
        raise CannotWriteError(f"{host}:{port}: cannot listen: {(error.strerror or 'unknown').lower()}") from None


def _announce(url: str) -> None:
    click.echo(f"scripted provider {url}")
    told = " ".join(f"COMPACTION_GATE_UPSTREAMS_{name}_URL={url}" for name in UPSTREAMS)
    click.echo(f"next: {told} compaction-gate serve")
