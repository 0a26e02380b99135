"""Content parts to canonical blocks; unknown parts are kept as OTHER (wire-formats 4).

`thoughtSignature` stands beside a part's content and is no part of its meaning: clients drop it, and a stream may
bring it in a part of its own. A block's `raw` is without it; the message's keeps it.
Texts of the model that follow each other are one text: a stream cuts them anywhere, and clients send the pieces back
as they came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

import orjson

from proxy.model.messages import Block, BlockKind
from proxy.wire.gemini.members import member, snake
from proxy.wire.json_values import Json, text_of

_SIGNATURE = ("thoughtSignature", snake("thoughtSignature"))
_MEDIA = ("inlineData", "fileData")
_CODE = "code_execution"
_JOINED = (BlockKind.TEXT, BlockKind.THINKING)


def blocks_of(parts: Iterable[Json], *, by_model: bool) -> tuple[Block, ...]:
    """The blocks of some parts; calls and results carry their ids as sent, empty when there is none."""
    blocks = [block for raw in parts if (block := _block(raw)) is not None]
    return tuple(_joined(blocks) if by_model else blocks)


def _joined(blocks: list[Block]) -> Iterator[Block]:
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        run = list(group)
        if kind not in _JOINED or len(run) == 1:
            yield from run
            continue
        text = "".join([text_of(block.raw.get("text")) for block in run])
        yield Block(kind=kind, raw=run[0].raw | {"text": text}, text=text if kind is BlockKind.TEXT else "")


def _block(raw: Json) -> Block | None:
    """None for a part that says nothing: an empty text, as one that brings a signature alone."""
    if isinstance(raw, str):
        raw = {"text": raw}
    if not isinstance(raw, dict):
        return Block(kind=BlockKind.OTHER, raw=raw)
    part = {name: value for name, value in raw.items() if name not in _SIGNATURE}
    for name, read in _READERS.items():
        content = member(part, name)
        if isinstance(content, dict):
            return read(part, content)
    if any(member(part, name) is not None for name in _MEDIA):
        return Block(kind=BlockKind.MEDIA, raw=part)
    if not isinstance(part.get("text"), str):
        return Block(kind=BlockKind.OTHER, raw=part) if part else None
    if not part["text"]:
        return None
    if part.get("thought") is True:
        return Block(kind=BlockKind.THINKING, raw=part)
    return Block(kind=BlockKind.TEXT, raw=part, text=part["text"])


def _call(part: Mapping[str, Any], call: Mapping[str, Any]) -> Block:
    """Arguments that a stream brings in pieces (`partialArgs`) stay text: how they fit together is not read here."""
    arguments, pieces = call.get("args"), member(call, "partialArgs")
    unread = "" if arguments is None and pieces is None else orjson.dumps(pieces or arguments).decode()
    return Block(
        kind=BlockKind.CALL,
        raw=part,
        call_id=text_of(call.get("id")),
        tool=text_of(call.get("name")),
        arguments=arguments if isinstance(arguments, dict) and not pieces else None if unread else {},
        raw_arguments="" if isinstance(arguments, dict) and not pieces else unread,
    )


def _result(part: Mapping[str, Any], result: Mapping[str, Any]) -> Block:
    response = result.get("response")
    return Block(
        kind=BlockKind.RESULT,
        raw=part,
        text=_readable(response),
        call_id=text_of(result.get("id")),
        tool=text_of(result.get("name")),
        is_error=isinstance(response, dict) and "error" in response and "output" not in response,
    )


def _readable(response: Json) -> str:
    """The text under `output` or `error`, or the only text there is; anything else is what the model sees as JSON."""
    if isinstance(response, str):
        return response
    if not isinstance(response, dict):
        return "" if response is None else orjson.dumps(response).decode()
    told = [response[name] for name in ("output", "error") if name in response] or list(response.values())
    if len(told) == 1 and isinstance(told[0], str):
        return told[0]
    return orjson.dumps(response).decode()


def _server_call(part: Mapping[str, Any], call: Mapping[str, Any]) -> Block:
    arguments = call.get("args")
    return Block(
        kind=BlockKind.SERVER_CALL,
        raw=part,
        call_id=text_of(call.get("id")),
        tool=text_of(member(call, "toolType")).lower(),
        arguments=arguments if isinstance(arguments, dict) else {},
    )


def _server_result(part: Mapping[str, Any], result: Mapping[str, Any]) -> Block:
    return Block(
        kind=BlockKind.SERVER_RESULT,
        raw=part,
        text=_readable(result.get("response")),
        call_id=text_of(result.get("id")),
    )


def _code(part: Mapping[str, Any], code: Mapping[str, Any]) -> Block:
    return Block(
        kind=BlockKind.SERVER_CALL, raw=part, call_id=text_of(code.get("id")), tool=_CODE, arguments=dict(code)
    )


def _output(part: Mapping[str, Any], result: Mapping[str, Any]) -> Block:
    return Block(
        kind=BlockKind.SERVER_RESULT,
        raw=part,
        text=text_of(result.get("output")),
        call_id=text_of(result.get("id")),
        is_error=text_of(result.get("outcome")) not in ("", "OUTCOME_OK"),
    )


_READERS: Mapping[str, Callable[[Mapping[str, Any], Mapping[str, Any]], Block]] = {
    "functionCall": _call,
    "functionResponse": _result,
    "toolCall": _server_call,
    "toolResponse": _server_result,
    "executableCode": _code,
    "codeExecutionResult": _output,
}
"""By the member that holds the content: whole part and content to a block."""
