"""How clients of other providers than Anthropic are told a base URL: variables, and for Codex an option. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

CODEX_OPTION = "openai_base_url"
CODEX_KEYS = ("CODEX_API_KEY", "OPENAI_API_KEY")
CHATGPT, OPENAI, GEMINI = "chatgpt", "openai", "gemini"
"""Upstreams as they are shipped."""


class Told(NamedTuple):
    """One variable that holds a client's base URL."""

    variable: str
    upstream: str
    """Whose address it is when nobody set it."""
    suffix: str = ""
    """What clients put behind the provider's own address."""


TOLD = (
    Told("OPENAI_BASE_URL", OPENAI, "/v1"),
    Told("OPENAI_API_BASE", OPENAI, "/v1"),
    Told("GOOGLE_GEMINI_BASE_URL", GEMINI),
)


def base_urls(upstreams: Mapping[str, str], run_url: str, environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Variables and their values. One that the user set to an address that is no upstream stays as it is.

    Args:
        upstreams: Addresses by name.
        run_url: The relay's address with the run's secret.
        environment: The child's.
    """
    by_url = {url.rstrip("/"): name for name, url in upstreams.items()}
    for told in TOLD:
        given = environment.get(told.variable, "").rstrip("/").removesuffix(told.suffix)
        name = by_url.get(given) if given else told.upstream
        if name in upstreams:
            yield told.variable, f"{run_url}/{name}{told.suffix}"


def codex_command(command: Sequence[str], run_url: str, upstream: str) -> Sequence[str]:
    """The command with the option that Codex reads instead of a variable, unless the user gave it."""
    if any(CODEX_OPTION in argument for argument in command):
        return command
    suffix = "/v1" if upstream == OPENAI else ""
    return (command[0], "-c", f'{CODEX_OPTION}="{run_url}/{upstream}{suffix}"', *command[1:])


def is_codex(command: Sequence[str]) -> bool:
    """Whether a command is Codex by its name."""
    return PurePath(command[0]).name == "codex"


def codex_upstream(environment: Mapping[str, str], home: Path) -> str:
    """Whether Codex will speak to the API with a key, or to ChatGPT with a login; no value of either is looked at."""
    if any(environment.get(name) for name in CODEX_KEYS):
        return OPENAI
    folder = Path(environment.get("CODEX_HOME") or home / ".codex")
    try:
        login = json.loads((folder / "auth.json").read_text("utf-8"))
    except (OSError, ValueError):
        return OPENAI
    return CHATGPT if isinstance(login, dict) and login.get("tokens") and not login.get("OPENAI_API_KEY") else OPENAI
