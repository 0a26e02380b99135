"""All clients that are run, each by every route that speaks another dialect."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from tests.clients.programs.aider import Aider
from tests.clients.programs.claude_code import ClaudeCode
from tests.clients.programs.client import Client
from tests.clients.programs.cline import Cline
from tests.clients.programs.codex import Codex, Transport
from tests.clients.programs.framework import Framework
from tests.clients.programs.gemini_cli import GeminiCli
from tests.clients.programs.mini_swe_agent import MiniSweAgent
from tests.clients.programs.opencode import OpenCode, Route
from tests.clients.programs.packages import Npm, Pypi
from tests.clients.programs.sdk import Sdk
from tests.clients.scenario import Kind

LARGE_TOKENS_PER_KIB = {"2.1.197": 1024, "2.1.332": 1300}
"""Tokens of 1,024 bytes at which each version's own prompt is 60,000 to 80,000 tokens."""
ROUTES = {
    Kind.AGENTS_SDK: ("responses", "responses streamed", "chat"),
    Kind.PYDANTIC_AI: ("responses", "chat", "messages", "gemini"),
    Kind.LANGCHAIN: ("chat", "chat streamed", "messages"),
    Kind.OPENHANDS: ("responses", "chat", "messages"),
    Kind.LITELLM: ("chat",),
}


def _claude_code(version: str, program: Path) -> list[Client]:
    scale = LARGE_TOKENS_PER_KIB[version]
    return [ClaudeCode(version, program, scale), ClaudeCode(version, program, scale, hints=True)]


def _framework(kind: Kind) -> Callable[[str, Path], list[Client]]:
    return lambda version, python: [Framework(kind, version, python, route) for route in ROUTES[kind]]


CLIENTS: Mapping[Npm | Pypi, Callable[[str, Path], list[Client]]] = {
    Npm.CLAUDE_CODE_197: _claude_code,
    Npm.CLAUDE_CODE_332: _claude_code,
    Npm.CODEX: lambda version, program: [Codex(version, program, way) for way in Transport],
    Npm.OPENCODE: lambda version, program: [OpenCode(version, program, route) for route in Route],
    Npm.GEMINI_CLI: lambda version, program: [GeminiCli(version, program)],
    Npm.CLINE: lambda version, program: [Cline(version, program)],
    Pypi.AIDER: lambda version, program: [Aider(version, program)],
    Pypi.MINI_SWE_AGENT: lambda version, program: [
        MiniSweAgent(version, program),
        Framework(Kind.LITELLM, "1.110.2", program.parent / "python", "chat"),
    ],
    Pypi.AGENTS_SDK: _framework(Kind.AGENTS_SDK),
    Pypi.PYDANTIC_AI: _framework(Kind.PYDANTIC_AI),
    Pypi.LANGCHAIN: _framework(Kind.LANGCHAIN),
    Pypi.OPENHANDS: _framework(Kind.OPENHANDS),
}
OURS: tuple[Client, ...] = (Sdk(streamed=False), Sdk(streamed=True))
"""Runs in our own environment."""


def clients_of(package: Npm | Pypi, program: Path) -> list[Client]:
    """The clients that an installed package gives."""
    return CLIENTS[package](package.value.version, program)
