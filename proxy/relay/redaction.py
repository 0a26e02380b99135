"""Head secrets: what of a request's or response's head may be written down.

One registry for all: names known to carry credentials, a pattern for names nobody has heard of, a list of
names the pattern takes for secret though they are not, and the shapes of well-known keys in any value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import unquote_plus

from proxy.framing.memo import Memo

REDACTED = "[redacted]"

SECRET_HEADERS = frozenset(
    {
        "authorization",
        "proxy-authorization",
        "x-api-key",
        "api-key",
        "x-goog-api-key",
        "x-goog-iam-authorization-token",
        "x-amz-security-token",
        "ocp-apim-subscription-key",
        "cookie",
        "set-cookie",
        "set-cookie2",
        "sec-websocket-protocol",  # browsers' SDKs put the key there
        "x-compaction-token",
        "cf-access-client-secret",
        "cf-access-jwt-assertion",
        "x-forwarded-access-token",
        "x-codex-turn-state",  # opens the provider's side of a turn
        "x-codex-installation-id",
        "chatgpt-account-id",
        "dpop",
    }
)

_SECRET_QUERY = frozenset({"key", "sig", "code", "auth", "jwt", "sas"})

_SUSPECT = re.compile(
    r"auth|token|secret|passw|passphrase|pwd|credential|cookie|session-?key|signature|bearer|jwt|"
    r"(?:api|access|private|subscription|account|client|license)[-_.]?key|(?:^|[-_.])key$|-sas$",
    re.IGNORECASE,
)

_HARMLESS = frozenset(
    {
        "www-authenticate",
        "proxy-authenticate",
        "idempotency-key",
        "x-idempotency-key",
        "sec-websocket-key",
        "surrogate-key",
        "x-cache-key",
        "prompt-cache-key",
        "x-author",
        "author",
        "max_tokens",
        "pagetoken",
        "page_token",
        "next_page_token",
    }
)
_HARMLESS_PREFIXES = ("anthropic-ratelimit-", "x-ratelimit-", "ratelimit-")
_COUNT = re.compile(r"(?:^|[-_])tokens(?:[-_](?:limit|remaining|reset|used|count))?$")
"""Tokens in the plural are counted, not presented."""

_SHAPES = re.compile(
    r"\bsk-[A-Za-z0-9_-]{8,}|\bsess-[A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{20,}|\bya29\.[A-Za-z0-9._-]{8,}"
    r"|\bgh[opsur]_[A-Za-z0-9]{16,}|\bgithub_pat_[A-Za-z0-9_]{16,}|\bAKIA[A-Z0-9]{12,}|\bxox[abprs]-[A-Za-z0-9-]{8,}"
    r"|\beyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*)?|(?<=\bBearer )\S+|(?<=\bBasic )\S+",
    re.IGNORECASE,
)
_PARAMETER = re.compile(r"([?&;])([^=&#;\s]+)=([^&#;\s]*)")
_RUN_TAG = re.compile(r"((?:^|://[^/?#\s]*)/run/)[^/?#\s]+")
"""Ours: a tag in a path is a secret, in any address that names this relay too."""
_USERINFO = re.compile(r"(?<=://)[^/@\s]+(?=@)")


def is_secret_name(name: str) -> bool:
    """Whether a header of that lower-case name may carry a credential."""
    if name in SECRET_HEADERS:
        return True
    if name in _HARMLESS or name.startswith(_HARMLESS_PREFIXES):
        return False
    return _SUSPECT.search(_COUNT.sub("", name)) is not None


def redact_text(text: str) -> str:
    """Text without keys of well-known shape, run tags, credentials in addresses and secret query values."""
    text = _SHAPES.sub(REDACTED, text)
    if "/run/" in text:
        text = _RUN_TAG.sub(rf"\1{REDACTED}", text)
    if "=" in text:
        text = _PARAMETER.sub(_redact_parameter, text)
    return _USERINFO.sub(REDACTED, text) if "@" in text else text


def _redact_parameter(match: re.Match[str]) -> str:
    separator, name, value = match.groups()
    lower = unquote_plus(name).lower()
    secret = lower in _SECRET_QUERY or is_secret_name(lower)
    return f"{separator}{name}={REDACTED if secret and value else value}"


def redact_target(target: bytes) -> str:
    """A request target as it may be written down."""
    return redact_text(target.decode("latin-1"))


def _redacted_pair(raw: bytes) -> tuple[str, str]:
    name, _, value = raw.decode("latin-1").partition(":")
    if is_secret_name(name.lower()):
        return name, REDACTED
    return name, redact_text(value.strip(" \t"))


_pairs = Memo(_redacted_pair)


def redacted_headers(lines: Sequence[bytes]) -> tuple[tuple[str, str], ...]:
    """Header lines in order, case and number, without secrets. The lines must have passed the framer."""
    return tuple(map(_pairs.__getitem__, lines))


@lru_cache(maxsize=256)
def names_a_credential(named: tuple[str, ...]) -> bool:
    """Whether a `Connection` list would have the next hop lose a credential."""
    return any(is_secret_name(name) for name in named)
