"""Who is calling: the session key (best signal first, design §7), the client, its agent, and its hints."""

from __future__ import annotations

import re
from dataclasses import dataclass

import orjson

from proxy.model.exchange import Exchange
from proxy.model.ids import SessionId, session_id
from proxy.model.messages import Request

SESSION_HEADER = "x-compaction-session"
"""Ours: groups a session of a client without ids; never makes a run or pair."""

CLIENT_SESSION_HEADERS = ("x-claude-code-session-id", "x-session-id", "x-litellm-session-id")
AGENT_HEADER = "x-claude-code-agent-id"

_CLIENTS = (
    (re.compile(r"^claude-cli/(\S+)"), "claude-code"),
    (re.compile(r"^opencode/(\S+)"), "opencode"),
    (re.compile(r"^(?:Async)?Anthropic/Python (\S+)"), "anthropic-sdk"),
    (re.compile(r"^(?:Async)?Anthropic/JS (\S+)"), "anthropic-sdk-js"),
    (re.compile(r"^compaction-gate-demo/(\S+)"), "demo"),
)
"""User-Agent to client name and version; first match."""

_LEGACY_USER_ID = re.compile(r"^user_[0-9a-f]+_account_.*_session_(?P<session>[0-9a-f-]{36})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """The program behind the requests, by its own word."""

    name: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a client says about a call by itself; all empty when it says nothing."""

    summary: str = ""
    """`manual` or `auto` on a summarising request."""
    compacted: str = ""
    """`manual` or `auto` on the first request after a compaction."""
    request_class: str = ""
    agent_type: str = ""
    parent_agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Which session a call belongs to, and as whom."""

    session: SessionId
    key_kind: str
    """`tag`, `header`, `client`, or `tag+…` when a run tag stands beside one of the others."""
    agent: str
    """The client's id of a sub-agent; empty on the main thread."""
    client: Client
    hints: Hints
    run: str | None
    """Digest of the run tag."""


def _said(exchange: Exchange, name: str) -> str:
    """A header's value as text that can be written; empty without one."""
    return (exchange.header(name) or "").encode("utf-8", "replace").decode()


def client_of(exchange: Exchange) -> Client:
    """The client by its User-Agent."""
    agent = _said(exchange, "user-agent")
    for pattern, name in _CLIENTS:
        if found := pattern.match(agent):
            return Client(name=name, version=found[1].rstrip(";,"))
    return Client()


def hints_of(exchange: Exchange) -> Hints:
    """The client's opt-in hint headers (wire-formats 5.1)."""
    return Hints(
        summary=_said(exchange, "x-claude-code-compaction"),
        compacted=_said(exchange, "x-claude-code-context-compacted"),
        request_class=_said(exchange, "x-claude-code-request-class"),
        agent_type=_said(exchange, "x-claude-code-agent-type"),
        parent_agent=_said(exchange, "x-claude-code-parent-agent-id"),
    )


def identify(exchange: Exchange, request: Request) -> Identity | None:
    """The identity of a call, or None when nothing names its session (`unobservable: no session`)."""
    kind, key = _session_key(exchange, request)
    if exchange.tag:
        kind = f"tag+{kind}" if kind else "tag"
    if not kind:
        return None
    return Identity(
        session=session_id(exchange.tag, key),
        key_kind=kind,
        agent=_said(exchange, AGENT_HEADER),
        client=client_of(exchange),
        hints=hints_of(exchange),
        run=exchange.tag or None,
    )


def _session_key(exchange: Exchange, request: Request) -> tuple[str, str]:
    if named := exchange.header(SESSION_HEADER):
        return "header", named
    for name in CLIENT_SESSION_HEADERS:
        if value := exchange.header(name):
            return "client", value
    if value := _metadata_session(request):
        return "client", value
    return "", ""


def _metadata_session(request: Request) -> str:
    """Claude Code's `metadata.user_id`: a JSON string, or the older underscored form."""
    metadata = request.metadata.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    if found := _LEGACY_USER_ID.match(user):
        return found["session"]
    try:
        parsed = orjson.loads(user)
    except orjson.JSONDecodeError:
        return ""
    session = parsed.get("session_id") if isinstance(parsed, dict) else None
    return session if isinstance(session, str) else ""
