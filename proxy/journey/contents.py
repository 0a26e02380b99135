"""What a turn said, in pieces that are each kept once: messages, system, tools, response, and how they made a body.

A turn's *manifest* names the pieces of its request relative to the thread's former manifest, so that what is kept
grows with what is new. Pieces are named by the SHA-256 of their canonical JSON as observed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from hashlib import blake2b, sha256
from typing import Any, NamedTuple

import orjson

from proxy.journey.call import Call
from proxy.journey.recall import CALLERS
from proxy.model.messages import Message, Request
from proxy.sessions import history
from proxy.sessions.normalise import DIGEST_SIZE
from proxy.wire.reply_text import kept_reply

FORMAT = "turn/1"
HISTORY = {"openai_responses": "input", "gemini": "contents"}
"""The body's member that holds the history, by dialect; `messages` in all others."""
Piece = tuple[str, bytes]
"""SHA-256 and text."""
RedactBody = Callable[[str, Any], Any]
"""A parsed body of a dialect without its secrets."""


class _Sent(NamedTuple):
    message: Message
    digest: bytes


class _Last(NamedTuple):
    """What a thread's last request was made of."""

    sent: list[_Sent]
    frame: list[list[Any]]
    """System and tools as parsed."""
    names: list[str]
    """Of their pieces."""


class Contents:
    """Takes turns apart. It remembers the last request of each thread, so that only what is new is put into text.

    What a thread's pieces already hold is in its state: a turn that could not be kept brings them again.
    """

    def __init__(self, redact: RedactBody) -> None:
        self._redact = redact
        self._last: OrderedDict[tuple[str, str], _Last] = OrderedDict()

    def of(self, call: Call) -> tuple[Piece, ...]:
        """All pieces of a turn that its thread did not bring before, the manifest last; the thread remembers them."""
        thread, request = call.placement.thread, call.request
        last = self._take_apart(call)
        digests = [sent.digest for sent in last.sent]
        kept = history.common_prefix(history.unpack(thread.sent), digests)
        fresh = [
            _piece(self._clean(request, HISTORY.get(request.dialect, "messages"), sent.message.raw))
            for sent in last.sent[kept:]
        ]
        fresh += [_piece(part) for part, name in zip(last.frame, last.names, strict=True) if name not in thread.frame]
        response = _named(self._answer(call))
        manifest = {
            "format": FORMAT,
            "exchange": list(call.exchange.id),
            "former": thread.manifest,
            "continues": request.previous_id or request.conversation_id,
            "kept": kept,
            "messages": [name for name, _ in fresh[: len(digests) - kept]],
            "system": last.names[0],
            "tools": last.names[1],
            "rest": self._redact(request.dialect, dict(request.metadata) | {"model": request.model}),
            "stream": request.stream,
            "response": response[0],
        }
        named = _piece(manifest)
        thread.sent, thread.frame, thread.manifest = history.pack(digests), last.names, named[0]
        return (*fresh, response, named)

    def _take_apart(self, call: Call) -> _Last:
        caller, request = (call.identity.session, call.placement.thread.id), call.request
        former = self._last.pop(caller, _Last([], [], []))
        sent = [
            known
            if (known := _at(former.sent, at)) and known.message is message
            else _Sent(message, _digest(message.raw))
            for at, message in enumerate(message for message in request.messages if not message.is_remembered)
        ]
        tools = [self._clean(request, "tools", tool.raw) for tool in request.tools]
        frame = [[block.raw for block in request.system], tools]
        names = former.names if frame == former.frame else [_piece(part)[0] for part in frame]
        self._last[caller] = last = _Last(sent, frame, names)
        if len(self._last) > CALLERS:
            self._last.popitem(last=False)
        return last

    def _answer(self, call: Call) -> bytes:
        clean = partial(self._redact, call.request.dialect)
        return kept_reply(call.exchange.response_body, call.exchange.response_headers, clean)

    def _clean(self, request: Request, field: str, raw: object) -> Any:  # noqa: ANN401 - parsed JSON
        """A part of the body without the secrets that its dialect knows at this place."""
        cleaned: Any = self._redact(request.dialect, {field: [raw]})
        return cleaned[field][0]


def _at(sent: list[_Sent], at: int) -> _Sent | None:
    return sent[at] if at < len(sent) else None


def _digest(raw: object) -> bytes:
    return blake2b(_json(raw), digest_size=DIGEST_SIZE).digest()


def _piece(value: object) -> Piece:
    return _named(_json(value))


def _named(text: bytes) -> Piece:
    return sha256(text).hexdigest(), text


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
