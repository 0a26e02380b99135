"""The session and the sub-agent that a client names, in the headers or the body (wire-formats 5)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Json = Mapping[str, Any]

SESSION_HEADERS = (
    "x-claude-code-session-id",
    "session-id",
    "session_id",
    "x-session-id",
    "x-litellm-session-id",
    "x-compaction-session",
)
"""Asked in this order."""


class Identity(NamedTuple):
    """As the client gave them; empty where it gave none."""

    session: str
    agent: str


def identity_of(headers: Mapping[str, str], document: Json) -> Identity:
    """Who asks."""
    session = next((name for name in _sessions(headers, document) if name), "")
    return Identity(session, headers.get("x-claude-code-agent-id", "") or _sub_thread(headers, document, session))


def api_key(headers: Mapping[str, str]) -> str:
    """The key that prompts are cached under."""
    return headers.get("x-api-key") or headers.get("x-goog-api-key") or headers.get("authorization", "")


def _sessions(headers: Mapping[str, str], document: Json) -> Iterator[str]:
    yield from (headers.get(name, "") for name in SESSION_HEADERS)
    yield _text(document.get("client_metadata"), "session_id")
    yield _of_user(_text(document.get("metadata"), "user_id"))
    conversation = document.get("conversation")
    yield conversation if isinstance(conversation, str) else _text(conversation, "id")
    yield _text(document, "prompt_cache_key")


def _sub_thread(headers: Mapping[str, str], document: Json, session: str) -> str:
    """Codex' sub-agents have a thread id of their own within the session."""
    thread = headers.get("thread-id") or _text(document.get("client_metadata"), "thread_id")
    return thread if session and thread != session else ""


def _of_user(user: str) -> str:
    """Claude Code's `metadata.user_id` is JSON inside a string."""
    try:
        return _text(json.loads(user), "session_id") if user.startswith("{") else ""
    except ValueError:
        return ""


def _text(holder: object, name: str) -> str:
    value = holder.get(name) if isinstance(holder, Mapping) else None
    return value if isinstance(value, str) else ""
