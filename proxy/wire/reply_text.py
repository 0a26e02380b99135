"""What may be kept of a reply's body: decoded, without body secrets; the very bytes where there are none.

Providers repeat in a reply what the request configured (OpenAI: `user`, `tools`, `metadata`), so that a reply has the
same secrets at the same places. What cannot be read cannot be cleaned, and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import is_

from proxy.model.exchange import Headers
from proxy.wire.content import decode_body
from proxy.wire.json_values import INVALID_UTF8, BadJsonError, Json, canonical, read_json
from proxy.wire.secret_paths import REDACTED
from proxy.wire.sse import SseDecoder, SseEvent

_ENVELOPES = ("response", "message")
"""Members of an event, or of a service's document, that hold the body itself."""
_DONE = b"[DONE]"


def kept_reply(body: bytes, headers: Headers, clean: Callable[[Json], Json]) -> bytes:
    """The text of a reply without its secrets.

    Args:
        body: As recorded, content-encoded as the provider sent it.
        headers: The response's header lines.
        clean: A parsed body without its secrets; the same object when there are none.
    """
    decoded = decode_body(body, headers).body
    try:
        document = read_json(decoded)
    except BadJsonError:
        return _stream(decoded, clean)
    cleaned = _body(document, clean)
    return decoded if cleaned is document else canonical(cleaned)


def _stream(decoded: bytes, clean: Callable[[Json], Json]) -> bytes:
    decoder = SseDecoder()
    events = list(decoder.feed(decoded))
    cleaned = [_event(event, clean) for event in events]
    if not decoder.inside_event and all(new is old for new, old in zip(cleaned, events, strict=True)):
        return decoded if events else b""
    return b"".join(_frames(cleaned))


def _frames(events: list[SseEvent]) -> Iterator[bytes]:
    for event in events:
        name = f"event: {event.name}\n" if event.name else ""
        yield name.encode() + b"data: " + event.data.replace(b"\n", b"\ndata: ") + b"\n\n"


def _event(event: SseEvent, clean: Callable[[Json], Json]) -> SseEvent:
    if event.data == _DONE or not event.data:
        return event
    try:
        payload = read_json(event.data)
    except BadJsonError as error:
        if error.reason != INVALID_UTF8:
            return event._replace(data=REDACTED.encode())
        return _event(event._replace(data=event.data.decode("utf-8", "replace").encode()), clean)
    cleaned = _body(payload, clean)
    return event if cleaned is payload else event._replace(data=canonical(cleaned))


def _body(payload: Json, clean: Callable[[Json], Json]) -> Json:
    if isinstance(payload, list):  # a stream that came as one array
        items = [_body(item, clean) for item in payload]
        return payload if all(map(is_, items, payload)) else items
    if not isinstance(payload, dict):
        return clean(payload)
    within = {name: clean(payload[name]) for name in _ENVELOPES if isinstance(payload.get(name), dict)}
    if any(within[name] is not payload[name] for name in within):
        payload = payload | within
    return clean(payload)
