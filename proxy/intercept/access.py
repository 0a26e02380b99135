"""Who may use the door. A proxy's client shows credentials in `Proxy-Authorization`, a server's client our own header.

The password is the token (`relay.token_file`) or a run tag that `wrap` issued; the user's name does not matter.
"""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64decode
from typing import NamedTuple

from proxy.framing.head import RequestHead
from proxy.framing.lines import Role
from proxy.relay.addressing import RunTags
from proxy.relay.refusals import Kind

AUTHORIZATION = "proxy-authorization"
TOKEN = "x-compaction-token"  # noqa: S105  a name


class Credentials(NamedTuple):
    """What somebody who asks is known by."""

    is_admitted: bool
    tag: str
    """Digest of the run tag; empty without one."""


class Access:
    """Judges credentials."""

    def __init__(self, token_sha256: str, tags: RunTags) -> None:
        """Takes the digest of the token (empty: none is asked for) and the registry of run tags."""
        self._token_sha256 = token_sha256
        self._tags = tags

    def of_proxy(self, head: RequestHead) -> Credentials:
        """Judge a request that came as to a proxy."""
        return self.of_authorization(_value(head, AUTHORIZATION).decode("latin-1"))

    def of_authorization(self, authorization: str) -> Credentials:
        """Judge the value of `Proxy-Authorization`. Without a token anybody is admitted, as on the relay."""
        password = _password(authorization)
        tag = (self._tags.digest_of(password) if password else None) or ""
        return Credentials(bool(tag) or not self._token_sha256 or self._is_token(password), tag)

    def of_reverse(self, head: RequestHead) -> Kind | None:
        """Why a request that came as to a server is refused; one of a web page needs the token."""
        if self._token_sha256:
            return None if self._is_token(_value(head, TOKEN)) else Kind.TOKEN
        return Kind.ORIGIN if any(line.role is Role.ORIGIN for line in head.special) else None

    def _is_token(self, shown: bytes) -> bool:
        return hmac.compare_digest(hashlib.sha256(shown).hexdigest(), self._token_sha256)


def _value(head: RequestHead, name: str) -> bytes:
    return next((line.value for line in head.special if line.name == name), b"")


def _password(authorization: str) -> bytes:
    scheme, _, encoded = authorization.strip().partition(" ")
    if scheme.lower() != "basic":
        return b""
    try:
        return b64decode(encoded.strip(), validate=True).partition(b":")[2]
    except ValueError:
        return b""
