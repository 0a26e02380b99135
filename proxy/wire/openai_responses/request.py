"""A Responses request body, or a WebSocket's `response.create` frame, to a canonical Request (wire-formats 2.2, 2.6).

Unknown fields pass through; wrong types become faults. What the provider holds (`previous_response_id`,
`conversation`) is named and not here; a single item or prompt that only refers to it is a fault.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from proxy.model.exchange import Headers
from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.wire.dialect import Unparsed
from proxy.wire.faults import Faults
from proxy.wire.json_values import Json, object_of, require_shallow, text_of
from proxy.wire.openai_responses.items import (
    ADDITIONAL_TOOLS,
    COMPACTION_TRIGGER,
    ITEM_REFERENCE,
    MESSAGE,
    blocks_of,
    parts_of,
    role_of,
    type_of,
)
from proxy.wire.openai_responses.tools import offered, tool_of
from proxy.wire.request_body import comparable, known, request_of

NAME = "openai_responses"
COMPACT = "/responses/compact"
"""Ending of the path whose calls ask for nothing but a compaction."""

_READ_FIELDS = frozenset({"model", "stream", "instructions", "input", "tools"})
"""Fields with a place of their own in Request; all others are its `metadata`."""


def read_request(body: bytes, headers: Headers, former: Request | None = None, *, path: str = "") -> Request | Unparsed:
    """The request in canonical form, or why it is none. Never raises.

    Args:
        body: As recorded, content-encoded as the client sent it.
        headers: The request's header lines.
        former: An earlier request of the same session: items and tools that are the same again are taken from it
            instead of being read once more. The answer does not depend on it.
        path: Without query.
    """
    is_compact = path.rstrip("/").endswith(COMPACT)
    usable = comparable(former, NAME)
    return request_of(body, headers, lambda document: _request(document, usable, is_compact=is_compact))


def _request(document: Mapping[str, Any], former: Request | None, *, is_compact: bool) -> Request | Unparsed:
    """Raises BadJsonError when a part is too deep. What the former request had was looked at then."""
    if document.get("background") is True:
        return Unparsed("background", out_of_scope=True)
    items = _items(document.get("input"))
    if items is None:
        return Unparsed("input is neither text nor a list")
    faults = Faults()
    require_shallow({key: value for key, value in document.items() if key not in ("input", "tools")})
    if document.get("prompt") is not None:
        faults.add("prompt: held by the provider")
    messages, tools = (former.messages, former.tools) if former else ((), ())
    given = offered(document.get("tools"), faults)
    added = [tool for item in items if _adds_tools(item) for tool in offered(item.get("tools"), faults)]
    return Request(
        dialect=NAME,
        model=text_of(document.get("model")),
        stream=document.get("stream") is True,
        system=parts_of(document.get("instructions")),
        messages=tuple([known(messages, raw, at) or _message(raw, at + 1, faults) for at, raw in enumerate(items)]),
        tools=(
            *(replace(tool_of(raw, at + 1, faults), stays=True) for at, raw in enumerate(added)),
            *(known(tools, raw, at + len(added)) or tool_of(raw, at + 1, faults) for at, raw in enumerate(given)),
        ),
        metadata={key: value for key, value in document.items() if key not in _READ_FIELDS},
        previous_id=text_of(document.get("previous_response_id")),
        conversation_id=_conversation(document.get("conversation")),
        cache_key=text_of(document.get("prompt_cache_key")),
        prewarm=_is_prewarm(document),
        on_demand_compaction=is_compact or (bool(items) and _is_trigger(items[-1])),
        faults=faults.texts(),
    )


def _items(given: Json) -> list[Json] | None:
    """The items of `input`: a text is one message of the user's; nothing is none. None when it is something else."""
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    return [] if given is None else given if isinstance(given, list) else None


def _adds_tools(raw: Json) -> bool:
    return isinstance(raw, dict) and type_of(raw) == ADDITIONAL_TOOLS


def _message(raw: Json, place: int, faults: Faults) -> Message:
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"item {place}: not an object")
        return Message(role="", blocks=(Block(kind=BlockKind.OTHER, raw=raw),))
    role, item_type = role_of(raw), type_of(raw)
    if item_type == ITEM_REFERENCE:
        faults.add(f"item {place}: held by the provider")
    elif not role:
        faults.add(f"item {place}: no role")
    if item_type == MESSAGE and not isinstance(raw.get("content"), str | list):
        faults.add(f"item {place}: no content")
    return Message(role=role, blocks=blocks_of(raw), raw=raw)


def _conversation(given: Json) -> str:
    return text_of(given.get("id")) if isinstance(given, dict) else text_of(given)


def _is_prewarm(document: Mapping[str, Any]) -> bool:
    options = object_of(document.get("prompt_cache_options"))
    return document.get("generate") is False or options.get("prewarm") is True


def _is_trigger(raw: Json) -> bool:
    return isinstance(raw, dict) and raw.get("type") == COMPACTION_TRIGGER
