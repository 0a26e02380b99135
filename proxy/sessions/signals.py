"""What clients say about a call by themselves, in headers and in the body (wire-formats 5): ids, agents, hints.

A new client is a function here and a line in `SPEAKERS`; a client that only names its session is a row in
`SESSION_HEADERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from proxy.model.exchange import Exchange
from proxy.model.messages import Request
from proxy.wire.json_values import BadJsonError, read_json, text_of

SESSION_HEADERS = (
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
    "x-litellm-session-id",
)
"""Request headers whose value names the client's session, best first."""

AGENT_HEADER = "x-claude-code-agent-id"
THREAD_HEADERS = ("thread-id", "thread_id")
CALLER_HEADERS = (AGENT_HEADER, *THREAD_HEADERS, *SESSION_HEADERS, "user-agent")
"""Headers that tell callers apart, as far as headers do."""
TRIGGERS = ("manual", "auto")
_LEGACY_USER_ID = re.compile(r"^user_[0-9a-f]+_account_.*_session_(?P<session>[0-9a-f-]{36})$")
_TURN_METADATA = "x-codex-turn-metadata"
_WINDOW = "x-codex-window-id"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What a client says about a call; all empty when it says nothing."""

    summary: str = ""
    """`manual` or `auto` on a summarising request."""
    compacted: str = ""
    """`manual` or `auto` on the first request after a compaction."""
    request_class: str = ""
    agent_type: str = ""
    parent_agent: str = ""
    window: str = ""
    """The client's number of the context window this request stands in; a new number is a compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """Ids and hints of one call."""

    session: str = ""
    agent: str = ""
    """Of a sub-agent; empty on the main thread."""
    hints: Hints = field(default_factory=Hints)


def said(exchange: Exchange, name: str) -> str:
    """A request header's value as text that can be written; empty without one."""
    return (exchange.header(name) or "").encode("utf-8", "replace").decode()


def claude_code(exchange: Exchange, request: Request) -> Signals:
    """Claude Code: session in a header or in `metadata.user_id`, opt-in hint headers (wire-formats 5.1)."""
    return Signals(
        session=said(exchange, SESSION_HEADERS[0]) or _user_session(request),
        agent=said(exchange, AGENT_HEADER),
        hints=Hints(
            summary=said(exchange, "x-claude-code-compaction"),
            compacted=said(exchange, "x-claude-code-context-compacted"),
            request_class=said(exchange, "x-claude-code-request-class"),
            agent_type=said(exchange, "x-claude-code-agent-type"),
            parent_agent=said(exchange, "x-claude-code-parent-agent-id"),
        ),
    )


def codex(exchange: Exchange, request: Request) -> Signals:
    """Codex: headers over HTTP, `client_metadata` of each frame over a WebSocket (wire-formats 5.2)."""
    own = request.metadata.get("client_metadata")
    told: Mapping[str, Any] = own if isinstance(own, dict) else {}
    session = text_of(told.get("session_id")) or _first(exchange, ("session-id", "session_id"))
    thread = text_of(told.get("thread_id")) or _first(exchange, THREAD_HEADERS)
    turn = _parsed(text_of(told.get(_TURN_METADATA)) or said(exchange, _TURN_METADATA))
    kind = text_of(turn.get("request_kind"))
    compaction = turn.get("compaction")
    trigger = text_of(compaction.get("trigger")) if isinstance(compaction, dict) else ""
    window = text_of(told.get(_WINDOW)) or said(exchange, _WINDOW)
    return Signals(
        session=session,
        agent=thread if session and thread != session else "",
        hints=Hints(
            summary=trigger if kind == "compaction" and trigger in TRIGGERS else "",
            request_class=kind,
            agent_type=_first(exchange, ("x-openai-subagent",)),
            parent_agent=_first(exchange, ("x-codex-parent-thread-id",)),
            window=window.rpartition(":")[2],
        ),
    )


def named(exchange: Exchange, request: Request) -> Signals:
    """Any client that names its session in a header of its own."""
    del request
    return Signals(session=_first(exchange, SESSION_HEADERS))


SPEAKERS: Mapping[str, Callable[[Exchange, Request], Signals]] = {"claude-code": claude_code, "codex": codex}
"""Clients that say more than a session's name."""


def signals_of(client: str, exchange: Exchange, request: Request) -> Signals:
    """What the call says; an unknown client is heard as everyone that sets the same fields."""
    if speaker := SPEAKERS.get(client):
        found = speaker(exchange, request)
        return found if found.session else replace(found, session=named(exchange, request).session)
    for speaker in (claude_code, codex, named):
        found = speaker(exchange, request)
        if found.session:
            return found
    return Signals()


def _first(exchange: Exchange, names: tuple[str, ...]) -> str:
    return next((value for name in names if (value := said(exchange, name))), "")


def _parsed(text: str) -> Mapping[str, Any]:
    """A JSON object in a header; empty when it is none."""
    try:
        found = read_json(text.encode()) if text else None
    except BadJsonError:
        return {}
    return found if isinstance(found, dict) else {}


def _user_session(request: Request) -> str:
    """Claude Code's `metadata.user_id`: a JSON string, or the older underscored form."""
    metadata = request.metadata.get("metadata")
    user = metadata.get("user_id") if isinstance(metadata, dict) else None
    if not isinstance(user, str):
        return ""
    if found := _LEGACY_USER_ID.match(user):
        return found["session"]
    return text_of(_parsed(user).get("session_id"))
