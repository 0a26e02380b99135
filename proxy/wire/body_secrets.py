"""Secrets inside bodies, removed before anything of a body is stored, recorded or reported (design §4).

Three kinds: JSON paths that a dialect knows, member names that are secrets wherever they stand outside the
conversation, and patterns in any text (the provider's own credentials, and what the user adds). Conversation text is
touched by patterns only: what the agent read stays what it read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from proxy.model.errors import InputError
from proxy.wire.endpoint import DIALECTS
from proxy.wire.json_values import Json
from proxy.wire.secret_paths import REDACTED, whole

_CONVERSATION = frozenset(
    {
        "candidates", "choices", "content", "contents", "input", "instructions", "messages", "output", "system",
        "systemInstruction", "system_instruction",
    }
)  # fmt: skip
"""Top-level members that hold what was said; member names mean nothing there."""

_SECRET_MEMBERS = frozenset(
    {
        "access_token", "api_key", "apikey", "auth_token", "authorization", "authorization_token", "aws_access_key_id",
        "aws_secret_access_key", "aws_session_token", "bearer_token", "client_secret", "cookie", "credentials",
        "fallback_credit_token", "id_token", "password", "private_key", "proxy_authorization", "refresh_token",
        "secret", "secret_key", "session_token", "x_api_key",
    }
)  # fmt: skip


class _Pattern(NamedTuple):
    mark: str
    """A text without this has no match; it spares the search in almost all of them."""
    expression: re.Pattern[str]
    replacement: str = REDACTED


_AS_TEXT = r'({}\\*"\s*:\s*\\*")(?:(?!\\*").)+'
"""A member in JSON that stands as text: a whole body, a tool's result; its quotes may be escaped."""

_PATTERNS = (
    _Pattern("sk-ant-", re.compile(r"sk-ant-[A-Za-z0-9_-]{8,}")),
    _Pattern("sk-", re.compile(r"\bsk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{16,}|[A-Za-z0-9]{32,}\b)")),
    _Pattern("AIza", re.compile(r"AIza[A-Za-z0-9_-]{20,}")),
    _Pattern("earer ", re.compile(r"(?<=[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*")),
    _Pattern("n_token", re.compile(_AS_TEXT.format("authorization_token")), rf"\1{REDACTED}"),
    _Pattern("t_token", re.compile(_AS_TEXT.format("fallback_credit_token")), rf"\1{REDACTED}"),
    _Pattern("y_identifier", re.compile(_AS_TEXT.format("safety_identifier")), rf"\1{REDACTED}"),
)


class BodySecrets:
    """Removes body secrets.

    Args:
        patterns: The user's regular expressions; the whole match is removed from every text.

    Raises:
        InputError: A pattern is no regular expression, or matches the empty text.
    """

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        users = [_Pattern("", _compiled(place, pattern)) for place, pattern in enumerate(patterns, 1)]
        self._patterns = (*_PATTERNS, *users)
        self._paths = {
            dialect.name: tuple((tuple(path.split(".")), redact) for path, redact in dialect.secret_paths)
            for dialect in DIALECTS
        }

    def redact_text(self, text: str) -> str:
        """Any text without what the patterns find; the same object when they find nothing."""
        for mark, expression, replacement in self._patterns:
            if mark in text:
                text = expression.sub(replacement, text)
        return text

    def redact_body(self, dialect: str, parsed: Json) -> Json:
        """A parsed request or reply body without its secrets. Nothing is mutated; untouched parts are shared."""
        for path, redact in self._paths.get(dialect, ()):
            parsed = _along(parsed, path, redact)
        if isinstance(parsed, dict):
            parsed = _replaced(parsed, self._top_level)
        return self._said("", parsed)

    def _top_level(self, name: str, value: Json) -> Json:
        return value if name in _CONVERSATION else self._configured(name, value)

    def _configured(self, name: str, value: Json) -> Json:
        if isinstance(value, str):
            return REDACTED if name.lower().replace("-", "_") in _SECRET_MEMBERS else value
        return _replaced(value, self._configured)

    def _said(self, name: str, value: Json) -> Json:
        del name
        return self.redact_text(value) if isinstance(value, str) else _replaced(value, self._said)


def _compiled(place: int, pattern: str) -> re.Pattern[str]:
    where, expected = f"secret pattern {place}", "a regular expression that matches some text"
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise InputError("settings", where, f"{pattern!r} ({error})", expected) from None
    if expression.match(""):
        raise InputError("settings", where, f"{pattern!r}, which matches the empty text", expected)
    return expression


def _along(value: Json, path: Sequence[str], redact: Callable[[str], str]) -> Json:
    if not path:
        return redact(value) if isinstance(value, str) else whole("") if value else value
    step, rest = path[0], path[1:]
    if step == "*" or (isinstance(value, dict) and step in value):
        return _replaced(value, lambda name, member: _along(member, rest, redact) if step in {"*", name} else member)
    return value


def _replaced(value: Json, change: Callable[[str, Json], Json]) -> Json:
    """The container with every member changed, or itself when no member is another object than before."""
    if isinstance(value, dict):
        changed = {name: change(name, member) for name, member in value.items()}
        return changed if any(changed[name] is not member for name, member in value.items()) else value
    if isinstance(value, list):
        items = [change("", member) for member in value]
        return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
    return value
