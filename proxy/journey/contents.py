"""What a turn said, in pieces that are each kept once: messages, system, tools, response, and how they made a body.

A turn's *manifest* names the pieces of its request relative to the thread's former manifest, so that what is kept
grows with what is new. Pieces are named by the SHA-256 of their canonical JSON as observed.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b, sha256
from typing import Any, NamedTuple

import orjson

from proxy.journey.turn import Call
from proxy.sessions import history
from proxy.sessions.normalise import DIGEST_SIZE

FORMAT = "turn/1"
Piece = tuple[str, bytes]
"""SHA-256 and text."""
RedactBody = Callable[[str, Any], Any]
"""A parsed body of a dialect without its secrets."""


class _Sent(NamedTuple):
    raw: bytes
    digest: bytes


def contents(call: Call, redact: RedactBody) -> tuple[Piece, ...]:
    """All pieces of a turn that its thread did not bring before, the manifest last; the thread remembers them."""
    thread = call.placement.thread
    sent = [_sent(message.raw) for message in call.request.messages]
    kept = history.common_prefix(history.unpack(thread.sent), [one.digest for one in sent])
    system = _piece([block.raw for block in call.request.system])
    tools = _piece([tool.raw for tool in call.request.tools])
    fresh = [_named(one.raw) for one in sent[kept:]]
    response = _named(call.exchange.response_body)
    manifest = {
        "format": FORMAT,
        "exchange": [call.exchange.id.writer, call.exchange.id.number],
        "former": thread.manifest,
        "kept": kept,
        "messages": [name for name, _ in fresh],
        "system": system[0],
        "tools": tools[0],
        "rest": redact(call.request.dialect, dict(call.request.metadata) | {"model": call.request.model}),
        "stream": call.request.stream,
        "response": response[0],
    }
    last = _piece(manifest)
    thread.sent = history.pack([one.digest for one in sent])
    thread.manifest = last[0]
    return (*fresh, system, tools, response, last)


def _sent(raw: object) -> _Sent:
    text = _json(raw)
    return _Sent(text, blake2b(text, digest_size=DIGEST_SIZE).digest())


def _piece(value: object) -> Piece:
    return _named(_json(value))


def _named(text: bytes) -> Piece:
    return sha256(text).hexdigest(), text


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
