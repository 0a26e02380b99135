"""How a dialect says where its bodies carry secrets, and what stays of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urlsplit

REDACTED = "[redacted]"


class SecretPath(NamedTuple):
    """Members joined by dots, `*` for every member of an object or list; and what stays of a text found there."""

    path: str
    redact: Callable[[str], str]


def whole(text: str) -> str:
    """Nothing stays."""
    del text
    return REDACTED


def address(text: str) -> str:
    """Of a URL scheme, host and path stay: user, password, query and fragment can hold a key."""
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return REDACTED
    if not parts.scheme or not parts.hostname:
        return REDACTED
    plain = f"{parts.scheme}://{parts.hostname}{port}{parts.path}"
    return text if plain == text else f"{plain}?{REDACTED}"
