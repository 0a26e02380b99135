"""Whose call it is: the session key (best signal first, design §7), the client, its agent, and its hints."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from proxy.model.exchange import Exchange
from proxy.model.ids import SessionId, opened_session, session_id
from proxy.model.messages import Request
from proxy.sessions import signs
from proxy.sessions.normalise import Unit
from proxy.sessions.signals import Hints, Signals, said, signals_of
from proxy.sessions.signs import Find

SESSION_HEADER = "x-compaction-session"
"""Ours: groups a session of a client without ids; never makes a run or pair."""

_CLIENTS = (
    (re.compile(r"^claude-cli/(\S+)"), "claude-code"),
    (re.compile(r"^codex[\w-]*/(\S+)"), "codex"),
    (re.compile(r"^opencode/(\S+)"), "opencode"),
    (re.compile(r"^GeminiCLI(?:-[\w.]+)?/v?([^\s/]+)"), "gemini-cli"),
    (re.compile(r"^Cline/(\S+)"), "cline"),
    (re.compile(r"^OpenHands/(\S+)", re.IGNORECASE), "openhands"),
    (re.compile(r"^pydantic-ai/(\S+)"), "pydantic-ai"),
    (re.compile(r"^Agents/Python (\S+)"), "agents-sdk"),
    (re.compile(r"^langchain-[\w-]+/(\S+)"), "langchain"),
    (re.compile(r"^Aider/(\S+)", re.IGNORECASE), "aider"),
    (re.compile(r"^litellm/(\S+)"), "litellm"),
    (re.compile(r"^(?:Async)?Anthropic/Python (\S+)"), "anthropic-sdk"),
    (re.compile(r"^(?:Async)?Anthropic/JS (\S+)"), "anthropic-sdk-js"),
    (re.compile(r"^(?:Async)?OpenAI/Python (\S+)"), "openai-sdk"),
    (re.compile(r"^(?:Async)?OpenAI/JS (\S+)"), "openai-sdk-js"),
    (re.compile(r"^google-genai-sdk/(\S+)"), "google-genai-sdk"),
    (re.compile(r"^ai-sdk/[\w-]+/(\S+)"), "ai-sdk"),
    (re.compile(r"^compaction-gate-demo/(\S+)"), "demo"),
)
"""User-Agent to client name and version; first match."""

HAVE_TOOLS = frozenset({"claude-code", "codex", "opencode", "gemini-cli", "cline", "openhands"})
"""Agent programs that offer tools in each conversation; with the others a call without tools may be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The program behind the requests, by its own word."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which session a call belongs to, and as whom."""

    session: SessionId
    key_kind: str
    """`tag`, `header`, `client`, `chain`, `conversation`, `cache key` or `fingerprint`; `tag+…` when a run tag stands
    beside one of the others."""
    agent: str
    """The client's id of a sub-agent; empty on the main thread."""
    client: Client
    hints: Hints
    run: str | None
    """Digest of the run tag."""

    @property
    def is_by_sign(self) -> bool:
        """Nothing in the call surely names its session: later ones are found by what it showed."""
        return self.key_kind in ("chain", "cache key", "fingerprint")


class _Key(NamedTuple):
    kind: str
    name: str


def client_of(exchange: Exchange) -> Client:
    """The client by its User-Agent."""
    agent = said(exchange, "user-agent")
    for pattern, name in _CLIENTS:
        if found := pattern.match(agent):
            return Client(name=name, version=found[1].rstrip(";,"))
    return Client()


def identify(exchange: Exchange, request: Request, units: Sequence[Unit], find: Find) -> Identity | None:
    """The identity of a call; None when it continues a server-held history that nobody saw begin."""
    client = client_of(exchange)
    signals = signals_of(client.name, exchange, request)
    key = next(_keys(exchange, request, signals), None)
    if key is None and not exchange.tag:
        return _by_sign(exchange, request, units, Signed(client, signals, find))
    kind = "+".join(part for part in ("tag" if exchange.tag else "", key.kind if key else "") if part)
    return _identity(session_id(exchange.tag, key.name if key else ""), kind, client, signals, exchange.tag)


class Signed(NamedTuple):
    """What is known of a caller that names no session."""

    client: Client
    signals: Signals
    find: Find


def _by_sign(exchange: Exchange, request: Request, units: Sequence[Unit], caller: Signed) -> Identity | None:
    kind = "chain" if request.previous_id else "fingerprint"
    session = None
    if request.previous_id or not request.cache_key:
        session = signs.recognised(caller.client.name, request, units, caller.find)
    if session is None and request.cache_key:
        session, kind = session_id("", f"cache key\0{request.cache_key}"), "cache key"
    if session is None and request.previous_id:
        return None
    return _identity(session or opened_session(exchange.id), kind, caller.client, caller.signals, "")


def _identity(session: SessionId, kind: str, client: Client, signals: Signals, tag: str) -> Identity:
    return Identity(
        session=session, key_kind=kind, agent=signals.agent, client=client, hints=signals.hints, run=tag or None
    )


def _keys(exchange: Exchange, request: Request, signals: Signals) -> Iterator[_Key]:
    """Names of the session that the call carries, best first."""
    if named := exchange.header(SESSION_HEADER):
        yield _Key("header", named)
    if signals.session:
        yield _Key("client", signals.session)
    if request.conversation_id:
        yield _Key("conversation", f"conversation\0{request.conversation_id}")
