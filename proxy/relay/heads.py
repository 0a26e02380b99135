"""What travels of a head: everything as received, except the few lines that are meant for one hop or for us."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.framing.head import RequestHead, ResponseHead
from proxy.framing.lines import Line, Role, read_line

_HOST, _CONNECTION = Role.HOST, Role.CONNECTION
_OWN_TOKENS = frozenset({"close", "keep-alive", "te"})
"""Names in `Connection` that are no reason to remove a line: options, and `TE`, which has a rule of its own."""


def request_to_send(head: RequestHead, target: bytes, authority: bytes, *, close: bool) -> bytes:
    """The request head as the upstream gets it; `close` announces that no further request will follow."""
    raw = head.raw
    if target is not head.target and target != head.target:
        end = raw.index(b"\r\n")
        raw = b"%s %s HTTP/1.%d%s" % (head.method, target, head.minor, raw[end:])
    return _pass_on(raw, head, close=close, keep_upgrade=head.websocket, authority=authority)


def response_to_send(head: ResponseHead, *, close: bool) -> bytes:
    """The response head as the client gets it; `close` announces that the connection ends with this message."""
    return _pass_on(head.raw, head, close=close, keep_upgrade=head.websocket)


def _pass_on(
    raw: bytes, head: RequestHead | ResponseHead, *, close: bool, keep_upgrade: bool, authority: bytes = b""
) -> bytes:
    announced = False
    for line in head.special:
        if line.stays:
            raw = _replace(raw, line, None)
        elif line.role is _HOST:
            if authority:
                raw = _replace(raw, line, line.with_value(authority))
        elif line.role is _CONNECTION and not keep_upgrade:
            raw = _replace(raw, line, line.with_value(b"close") if close and not announced else None)
            announced = True
    if not _OWN_TOKENS.issuperset(head.named):
        for line in _named(head, keep_upgrade=keep_upgrade):
            raw = _replace(raw, line, None)
    if close and not announced and not keep_upgrade:
        raw = raw[:-2] + b"Connection: close\r\n\r\n"
    return raw


def _named(head: RequestHead | ResponseHead, *, keep_upgrade: bool) -> Iterable[Line]:
    """Lines that `Connection` says are for this hop only."""
    names = {name for name in head.named if name not in _OWN_TOKENS}
    if keep_upgrade:
        names.discard("upgrade")
    return [line for line in map(read_line, head.lines) if line.name in names] if names else ()


def _replace(raw: bytes, line: Line, by: bytes | None) -> bytes:
    """Put another line in the place of one, or nothing. Equal lines are alike, so the first one found is meant."""
    return raw.replace(b"\r\n" + line.raw + b"\r\n", b"\r\n" + by + b"\r\n" if by else b"\r\n", 1)
