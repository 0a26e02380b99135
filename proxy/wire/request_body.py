"""A request body to the JSON object it holds: what every dialect does before it looks inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from proxy.model.exchange import Headers
from proxy.model.messages import Message, Request, Tool
from proxy.wire.content import decode_body
from proxy.wire.dialect import Unparsed
from proxy.wire.json_values import BadJsonError, parse_json


def request_of(
    body: bytes, headers: Headers, build: Callable[[Mapping[str, Any]], Request | Unparsed]
) -> Request | Unparsed:
    """The request that `build` makes of the body's object, or why there is none.

    Args:
        body: As recorded, content-encoded as the client sent it.
        headers: The request's header lines.
        build: May raise BadJsonError for a part that is too deep; nothing else.
    """
    decoded = decode_body(body, headers)
    if decoded.fault:
        return Unparsed(decoded.fault)
    try:
        document = parse_json(decoded.body)
        return build(document) if isinstance(document, dict) else Unparsed("not an object")
    except BadJsonError as error:
        return Unparsed(error.reason)


def comparable(former: Request | None, dialect: str) -> Request | None:
    """The former request when what is the same again may be taken from it: wholly read, and by the same dialect."""
    return former if former and former.dialect == dialect and not former.faults else None


def known[T: (Message, Tool)](former: Sequence[T], raw: object, at: int) -> T | None:
    """What the former request had at this place, when it is the same again."""
    return former[at] if at < len(former) and former[at].raw == raw else None
