"""A Gemini request, its path and its body, to a canonical Request. Unknown fields pass through.

The path names the model. Gemini CLI's own service (`/v1internal:…`) puts the request into an envelope that names it.
`cachedContent` stays in `metadata`: the provider holds what it names, as a prefix of the prompt that is billed and
not seen here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote

from proxy.model.exchange import Headers
from proxy.model.messages import Block, BlockKind, Message, Request, Tool
from proxy.wire.call_names import named
from proxy.wire.dialect import Unparsed
from proxy.wire.faults import Faults
from proxy.wire.gemini.members import items, member, snake
from proxy.wire.gemini.parts import blocks_of
from proxy.wire.json_values import Json, require_shallow, sha256_of, text_of
from proxy.wire.request_body import comparable, known, request_of

NAME = "gemini"

_READ = ("contents", "systemInstruction", "tools", "model")
_READ_FIELDS = frozenset({*_READ, *map(snake, _READ)})
"""Fields with a place of their own in Request; all others are its `metadata`."""
_MODEL = re.compile(r"/((?:tunedModels/|endpoints/)?[^/]+):[A-Za-z]+$")
_STREAM = ":streamGenerateContent"
_DECLARATIONS = "functionDeclarations"


def read_request(body: bytes, headers: Headers, former: Request | None, target: str) -> Request | Unparsed:
    """The request in canonical form, or why it cannot be read. Never raises; see `Dialect.read_request`."""
    return request_of(body, headers, lambda document: _opened(document, comparable(former, NAME), target))


def _opened(document: Mapping[str, Any], former: Request | None, target: str) -> Request | Unparsed:
    path = target.partition("?")[0].rstrip("/")
    inner = document.get("request")
    if isinstance(inner, dict) and "contents" not in document:
        rest = {key: value for key, value in document.items() if key not in ("request", "model")}
        return _request(inner | {key: rest[key] for key in rest if key not in inner}, former, path, document)
    return _request(document, former, path, document)


def _request(
    document: Mapping[str, Any], former: Request | None, path: str, envelope: Mapping[str, Any]
) -> Request | Unparsed:
    contents = document.get("contents")
    if not isinstance(contents, list | dict):
        return Unparsed("contents is not a list")
    faults = Faults()
    require_shallow({key: value for key, value in document.items() if key not in ("contents", "tools")})
    return Request(
        dialect=NAME,
        model=_model(path) or text_of(envelope.get("model")),
        stream=path.endswith(_STREAM),
        system=_system(member(document, "systemInstruction")),
        messages=_messages(contents, former.messages if former else (), faults),
        tools=_tools(document, former.tools if former else (), faults),
        metadata={key: value for key, value in document.items() if key not in _READ_FIELDS},
        faults=faults.texts(),
    )


def _model(path: str) -> str:
    found = _MODEL.search(path)
    name = unquote(found[1]) if found else ""
    return "" if name == "v1internal" else name


def _system(instruction: Json) -> tuple[Block, ...]:
    """A content, as the API writes it, or its text alone."""
    parts = instruction.get("parts") if isinstance(instruction, dict) else instruction
    if parts is None:
        return ()
    return blocks_of(parts if isinstance(parts, list) else [parts], by_model=False)


def _messages(contents: Json, before: tuple[Message, ...], faults: Faults) -> tuple[Message, ...]:
    """One message per content; contents of the model that follow each other are one.

    What is the same as in the former request up to its first change is taken from there. Only that far: names of
    calls depend on what stands before them.
    """
    grouped = list(_grouped(contents if isinstance(contents, list) else [contents]))
    same = next((at for at, raw in enumerate(grouped) if known(before, raw, at) is None), len(grouped))
    fresh = [_message(raw, same + at, faults) for at, raw in enumerate(grouped[same:], 1)]
    return named([*before[:same], *fresh], known=same)


def _grouped(contents: list[Json]) -> Iterator[Json]:
    """Contents as sent; several of the model in a row (a stream's pieces) as a list of them."""
    run: list[Json] = []
    for raw in contents:
        if isinstance(raw, dict) and raw.get("role") == "model":
            run.append(raw)
            continue
        if run:
            yield run if len(run) > 1 else run[0]
            run = []
        yield raw
    if run:
        yield run if len(run) > 1 else run[0]


def _message(raw: Json, place: int, faults: Faults) -> Message:
    require_shallow(raw)
    contents = raw if isinstance(raw, list) and raw else [raw]
    if not all(isinstance(content, dict) for content in contents):
        faults.add(f"content {place}: not an object")
        return Message(role="", blocks=(Block(kind=BlockKind.OTHER, raw=raw),), raw=raw)
    role = contents[0].get("role")
    parts = [part for content in contents for part in _parts(content, place, faults)]
    by_model = role == "model"
    return Message(role="assistant" if by_model else "user", blocks=blocks_of(parts, by_model=by_model), raw=raw)


def _parts(content: Mapping[str, Any], place: int, faults: Faults) -> list[Json]:
    parts = content.get("parts")
    if isinstance(parts, list):
        return parts
    faults.add(f"content {place}: no parts")
    return [] if parts is None else [parts]


def _tools(document: Mapping[str, Any], before: tuple[Tool, ...], faults: Faults) -> tuple[Tool, ...]:
    tools = document.get("tools")
    if tools is not None and not isinstance(tools, list):
        faults.add("tools is not a list")
    offered = [entry for raw in items(document, "tools") for entry in _offered(raw)]
    return tuple([known(before, raw, at) or _tool(raw, at + 1, faults) for at, raw in enumerate(offered)])


def _offered(raw: Json) -> Iterator[Json]:
    """One entry holds any number of functions, and tools that the provider runs, each under its name."""
    if not isinstance(raw, dict):
        yield raw
        return
    yield from items(raw, _DECLARATIONS)
    for name, settings in raw.items():
        if name not in (_DECLARATIONS, snake(_DECLARATIONS)) and settings is not None:
            yield {"type": name, name: settings}


def _tool(raw: Json, place: int, faults: Faults) -> Tool:
    require_shallow(raw)
    if not isinstance(raw, dict):
        faults.add(f"tool {place}: not an object")
        return Tool(name="", schema_sha256=sha256_of(raw), raw=raw)
    tool_type = text_of(raw.get("type"))
    by_provider = bool(tool_type) and tool_type in raw
    return Tool(
        name=snake(tool_type) if by_provider else text_of(raw.get("name")),
        schema_sha256=sha256_of(raw),
        kind="server" if by_provider else "client",
        raw=raw,
    )
