"""Which upstream a request is for, and what it is asked: `/run/<id>/` first, then a configured name, else the default.

Prefixes are compared as raw bytes: nothing is decoded or normalised, so no spelling but the plain one is a prefix.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from proxy.framing.memo import Memo
from proxy.relay.redaction import redact_target
from proxy.relay.refusals import Kind
from proxy.relay.settings import Upstream

_RUN = re.compile(rb"/run/([^/?]*)")
_RUN_ID = re.compile(rb"[A-Za-z0-9_-]{1,128}")
_SEGMENT = re.compile(rb"/([^/?]*)")
_ENCODED_SLASH = re.compile(rb"%(?:2f|5c)", re.IGNORECASE)
_UNSAFE = re.compile(rb"//|\\|%(?:2f|5c)|/(?:\.|%2e){1,2}(?:/|;|$)", re.IGNORECASE)
_DIGEST = 32
"""Hex digits of a run tag's SHA-256 that are kept."""


class Address(NamedTuple):
    """Where a target goes."""

    upstream: Upstream
    authority: bytes
    """What `Host` says upstream."""
    target: bytes
    """As sent upstream."""
    shown: str
    """As written down."""


class Route(NamedTuple):
    """Where a request goes, and the digest of its run tag."""

    address: Address
    tag: str


class AddressError(Exception):
    """The target leads nowhere."""

    def __init__(self, kind: Kind) -> None:
        super().__init__(kind.value)
        self.kind = kind


class RunTags:
    """The run tags that were issued, known by their digests only."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._read: tuple[int, int, int] | None = None
        self._digests: frozenset[str] = frozenset()

    def digest_of(self, tag: bytes) -> str | None:
        """First 32 hex digits of the SHA-256 of a valid tag, None for an unknown one."""
        digest = hashlib.sha256(tag).hexdigest()[:_DIGEST]
        self._refresh()
        return digest if digest in self._digests else None

    def _refresh(self) -> None:
        if self._file is None:
            return
        try:
            status = os.stat(self._file)  # noqa: PTH116 one system call per tagged request
            seen = (status.st_ino, status.st_mtime_ns, status.st_size)
            if seen != self._read:
                lines = self._file.read_text("ascii").split()
                self._digests = frozenset(line[:_DIGEST].lower() for line in lines if len(line) >= _DIGEST)
                self._read = seen
        except (OSError, UnicodeDecodeError):  # a registry that cannot be read vouches for nobody
            self._digests = frozenset()
            self._read = None


class Router:
    """Finds the upstream of a request target."""

    def __init__(self, upstreams: Mapping[str, Upstream], default: str, tags: RunTags) -> None:
        self._upstreams = {name.encode("utf-8"): upstream for name, upstream in upstreams.items()}
        self._prefixes = {b"run", *self._upstreams}
        self._default = upstreams[default] if default else None
        self._tags = tags
        self._plain: Memo[Route] = Memo(lambda target: Route(self._address(target, prefixed=False), ""))
        self._tagged: Memo[Address] = Memo(lambda target: self._address(target, prefixed=True))

    def route(self, target: bytes) -> Route:
        """Where `target` (origin form) goes. Raises AddressError."""
        if not target.startswith(b"/run/"):
            return self._plain[target]
        run = _RUN.match(target)
        assert run is not None
        if _is_unsafe(target[len(b"/run") :]):
            raise AddressError(Kind.BAD_PATH)
        tag = run[1]
        digest = self._tags.digest_of(tag) if _RUN_ID.fullmatch(tag) else None
        if digest is None:
            raise AddressError(Kind.UNKNOWN_RUN)
        return Route(self._tagged[target[run.end() :]], digest)

    def _address(self, target: bytes, *, prefixed: bool) -> Address:
        """The address of a target without run prefix. Raises AddressError."""
        match = _SEGMENT.match(target)
        segment = match[1] if match else b""
        upstream = self._upstreams.get(segment) if segment else None
        if upstream is not None and match is not None:
            target = target[match.end() :]
            prefixed = True
        elif _ENCODED_SLASH.search(segment) and _ENCODED_SLASH.split(segment, maxsplit=1)[0] in self._prefixes:
            raise AddressError(Kind.BAD_PATH)
        else:
            upstream = self._default
        if prefixed and _is_unsafe(target):
            raise AddressError(Kind.BAD_PATH)
        if upstream is None:
            raise AddressError(Kind.NO_UPSTREAM)
        if not target.startswith(b"/"):
            target = b"/" + target
        target = upstream.base_path + target
        return Address(upstream, upstream.authority, target, redact_target(target))


def _is_unsafe(rest: bytes) -> bool:
    """Whether what follows a prefix could be read as something else by a server that normalises it."""
    return _UNSAFE.search(rest.partition(b"?")[0]) is not None
