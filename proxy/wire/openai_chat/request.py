"""A Chat Completions request body to a canonical Request. Unknown fields pass through; wrong types become faults.

Roles: what stands before the first other message in the roles `system` and `developer` is the system text; later
`developer` messages are `system`, and results of the old role `function` are `tool`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.model.exchange import Headers
from proxy.model.messages import Block, BlockKind, Message, Request, Tool
from proxy.wire.call_names import named
from proxy.wire.dialect import Unparsed
from proxy.wire.faults import Faults
from proxy.wire.json_values import Json, object_of, require_shallow, sha256_of, text_of
from proxy.wire.openai_chat.blocks import RESULT_ROLES, blocks_of
from proxy.wire.request_body import comparable, known, request_of

NAME = "openai_chat"

_READ_FIELDS = frozenset({"model", "stream", "messages", "tools", "functions", "prompt_cache_key"})
"""Fields with a place of their own in Request; all others are its `metadata`."""
_SYSTEM_ROLES = ("system", "developer")
_ROLES = dict.fromkeys(RESULT_ROLES, "tool") | dict.fromkeys(_SYSTEM_ROLES, "system")
_CLIENT_TOOLS = ("function", "custom")


def read_request(body: bytes, headers: Headers, former: Request | None = None) -> Request | Unparsed:
    """The request in canonical form, or why it cannot be read. Never raises; see `Dialect.read_request`."""
    return request_of(body, headers, lambda document: _request(document, comparable(former, NAME)))


def _request(document: Mapping[str, Any], former: Request | None) -> Request | Unparsed:
    sent = document.get("messages")
    if not isinstance(sent, list):
        return Unparsed("messages is not a list")
    faults = Faults()
    require_shallow({key: value for key, value in document.items() if key not in ("messages", "tools")})
    opening = _opening(sent)
    return Request(
        dialect=NAME,
        model=text_of(document.get("model")),
        stream=document.get("stream") is True,
        system=tuple([block for raw in sent[:opening] for block in _message(raw, 0, faults).blocks]),
        messages=_messages(sent, opening, former.messages if former else (), faults),
        tools=_tools(document, former.tools if former else (), faults),
        metadata={key: value for key, value in document.items() if key not in _READ_FIELDS},
        cache_key=text_of(document.get("prompt_cache_key")),
        faults=faults.texts(),
    )


def _opening(sent: list[Json]) -> int:
    """How many messages at the start are system text."""
    roles = [raw.get("role") if isinstance(raw, dict) else "" for raw in sent]
    return next((at for at, role in enumerate(roles) if role not in _SYSTEM_ROLES), len(roles))


def _messages(sent: list[Json], opening: int, before: tuple[Message, ...], faults: Faults) -> tuple[Message, ...]:
    """What is the same as in the former request up to its first change is taken from there.

    Only that far: names of calls depend on what stands before them.
    """
    history = sent[opening:]
    same = next((at for at, raw in enumerate(history) if known(before, raw, at) is None), len(history))
    fresh = [_message(raw, opening + same + at, faults) for at, raw in enumerate(history[same:], 1)]
    return named([*before[:same], *fresh], known=same)


def _message(raw: Json, place: int, faults: Faults) -> Message:
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"message {place}: not an object")
        return Message(role="", blocks=(Block(kind=BlockKind.OTHER, raw=raw),), raw=raw)
    role = raw.get("role")
    if not isinstance(role, str):
        faults.add(f"message {place}: no role")
    return Message(role=_ROLES.get(text_of(role), text_of(role)), blocks=blocks_of(raw), raw=raw)


def _tools(document: Mapping[str, Any], before: tuple[Tool, ...], faults: Faults) -> tuple[Tool, ...]:
    offered: list[Json] = []
    for field in ("tools", "functions"):  # the second is the old form
        listed = document.get(field)
        if isinstance(listed, list):
            offered += listed
        elif listed is not None:
            faults.add(f"{field} is not a list")
    return tuple([known(before, raw, at) or _tool(raw, at + 1, faults) for at, raw in enumerate(offered)])


def _tool(raw: Json, place: int, faults: Faults) -> Tool:
    """A definition stands under its type (`function`, `custom`), or is the old form as a whole."""
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"tool {place}: not an object")
        return Tool(name="", schema_sha256=sha256_of(raw), raw=raw)
    tool_type = text_of(raw.get("type"))
    definition = object_of(raw.get(tool_type)) or raw
    return Tool(
        name=text_of(definition.get("name")) or tool_type,
        schema_sha256=sha256_of({key: value for key, value in raw.items() if key != "cache_control"}),
        kind="client" if not tool_type or tool_type in _CLIENT_TOOLS else "server",
        raw=raw,
    )
