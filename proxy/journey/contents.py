"""What a turn said, in pieces that are each kept once: messages, system, tools, response, and how they made a body.

A turn's *manifest* names the pieces of its request relative to the thread's former manifest, so that what is kept
grows with what is new. Pieces are named by the SHA-256 of their canonical JSON as observed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b, sha256
from typing import Any, NamedTuple

import orjson

from proxy.journey.recall import CALLERS
from proxy.journey.turn import Call
from proxy.model.messages import Message
from proxy.sessions import history
from proxy.sessions.normalise import DIGEST_SIZE

FORMAT = "turn/1"
Piece = tuple[str, bytes]
"""SHA-256 and text."""
RedactBody = Callable[[str, Any], Any]
"""A parsed body of a dialect without its secrets."""


class _Sent(NamedTuple):
    message: Message
    digest: bytes


class Contents:
    """Takes turns apart. It remembers the last history of each thread, so that only what is new is put into text."""

    def __init__(self, redact: RedactBody) -> None:
        self._redact = redact
        self._last: OrderedDict[tuple[str, str], list[_Sent]] = OrderedDict()

    def of(self, call: Call) -> tuple[Piece, ...]:
        """All pieces of a turn that its thread did not bring before, the manifest last; the thread remembers them."""
        thread, request = call.placement.thread, call.request
        digests = [sent.digest for sent in self._sent(call)]
        kept = history.common_prefix(history.unpack(thread.sent), digests)
        fresh = [_piece(message.raw) for message in request.messages[kept:]]
        system = _piece([block.raw for block in request.system])
        tools = _piece([tool.raw for tool in request.tools])
        response = _named(call.exchange.response_body)
        manifest = {
            "format": FORMAT,
            "exchange": [call.exchange.id.writer, call.exchange.id.number],
            "former": thread.manifest,
            "kept": kept,
            "messages": [name for name, _ in fresh],
            "system": system[0],
            "tools": tools[0],
            "rest": self._redact(request.dialect, dict(request.metadata) | {"model": request.model}),
            "stream": request.stream,
            "response": response[0],
        }
        last = _piece(manifest)
        thread.sent = history.pack(digests)
        thread.manifest = last[0]
        return (*fresh, system, tools, response, last)

    def _sent(self, call: Call) -> list[_Sent]:
        caller = (call.identity.session, call.placement.thread.id)
        former = self._last.pop(caller, [])
        found = [
            former[at] if at < len(former) and former[at].message is message else _Sent(message, _digest(message.raw))
            for at, message in enumerate(call.request.messages)
        ]
        self._last[caller] = found
        if len(self._last) > CALLERS:
            self._last.popitem(last=False)
        return found


def _digest(raw: object) -> bytes:
    return blake2b(_json(raw), digest_size=DIGEST_SIZE).digest()


def _piece(value: object) -> Piece:
    return _named(_json(value))


def _named(text: bytes) -> Piece:
    return sha256(text).hexdigest(), text


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
