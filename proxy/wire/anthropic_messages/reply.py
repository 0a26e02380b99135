"""Events of a Messages stream, or its JSON document, to a canonical Reply (wire-formats 1.4, 1.6).

Rules of this file, from the SDK's own accumulator:
- `message_delta.usage` overwrites field by field, null does not; the two are never added (F62, F63).
- `compaction_delta` replaces, `text_delta` and `thinking_delta` append, argument JSON is parsed when it is whole.
- Only `message_stop`, or a whole document, is an end. Nothing is invented for a stream without one (F14, F15).
- Unknown events and delta types are skipped; the wire is additive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from proxy.model.messages import Block, BlockKind, ContextEdit, Reply
from proxy.wire.anthropic_messages.blocks import block_of, blocks_of
from proxy.wire.anthropic_messages.usage import Answer, billed
from proxy.wire.faults import Faults, error_of
from proxy.wire.json_values import BadJsonError, count_of, read_json, text_of, word_of

_APPENDED = {"text_delta": "text", "thinking_delta": "thinking"}


class MessageAssembler:
    """Collects one reply.

    Args:
        status: The HTTP status; 0 when no response head came.
    """

    def __init__(self, status: int) -> None:
        self.faults = Faults()
        self._status = status
        self._fields: dict[str, Any] = {}
        self._usage: dict[str, Any] | None = None
        self._open: dict[int, _StreamedBlock] = {}
        self._blocks: tuple[Block, ...] = ()
        self._ended = False
        self._error = ""
        self._on_event: Mapping[str, Callable[[str, dict[str, Any]], None]] = {
            "message_start": self._message_start,
            "content_block_start": self._block_start,
            "content_block_delta": self._block_delta,
            "content_block_stop": self._block_stop,
            "message_delta": self._message_delta,
            "message_stop": self._message_stop,
            "error": self._failed,
        }

    def event(self, number: int, name: str, payload: object) -> None:
        """One stream event; after the end and after an error nothing counts any more."""
        if not isinstance(payload, dict):
            self.faults.add(f"event {number}: not an object")
        elif not self._ended and not self._error:
            handle = self._on_event.get(text_of(payload.get("type")) or name)
            if handle is not None:
                handle(f"event {number}", payload)

    def document(self, payload: object) -> None:
        """A reply that was not streamed: a message or an error."""
        if isinstance(payload, dict) and isinstance(payload.get("error"), dict):
            self._failed("body", payload)
        elif isinstance(payload, dict) and isinstance(payload.get("content"), list):
            self._fields = payload
            self._take_usage(payload.get("usage"))
            self._blocks = blocks_of(payload["content"])
            self._ended = True
        else:
            self.faults.add("body: not a message")

    def reply(self) -> Reply:
        """What has come so far."""
        blocks = self._blocks or tuple([block.finish(index, self.faults) for index, block in self._open.items()])
        model, stop_reason = text_of(self._fields.get("model")), text_of(self._fields.get("stop_reason"))
        bill = billed(
            self._usage,
            Answer(
                model,
                only_compaction=bool(blocks) and all(block.kind is BlockKind.COMPACTION for block in blocks),
                refused_empty=stop_reason == "refusal" and not blocks,
            ),
        )
        return Reply(
            id=text_of(self._fields.get("id")),
            model=model,
            blocks=blocks,
            stop_reason=stop_reason,
            terminal=self._ended and not error_of(self._status),
            iterations=bill.iterations,
            edits=_edits(self._fields.get("context_management")),
            transformations=_types(self._fields.get("input_transformations")),
            usage_raw=self._usage,
            usage_disagrees=bill.disagrees,
            error=self._error or error_of(self._status),
            faults=self.faults.texts(),
        )

    def _message_start(self, place: str, payload: dict[str, Any]) -> None:
        message = payload.get("message")
        if not isinstance(message, dict):
            self.faults.add(f"{place}: no message")
        elif self._fields:
            self.faults.add(f"{place}: a second message_start")
        else:
            self._fields = dict(message)
            self._take_usage(message.get("usage"))

    def _message_delta(self, place: str, payload: dict[str, Any]) -> None:
        delta = payload.get("delta")
        if not isinstance(delta, dict):
            self.faults.add(f"{place}: no delta")
        elif delta.get("stop_reason") is not None:
            self._fields["stop_reason"] = delta["stop_reason"]
        self._take_usage(payload.get("usage"))
        for field in ("context_management", "input_transformations"):
            if payload.get(field) is not None:
                self._fields[field] = payload[field]

    def _take_usage(self, usage: object) -> None:
        if isinstance(usage, dict):
            known = self._usage or {}
            self._usage = known | {key: value for key, value in usage.items() if value is not None or key not in known}
        elif usage is not None:
            self.faults.add("usage is not an object")

    def _block_start(self, place: str, payload: dict[str, Any]) -> None:
        index, raw = _index(payload), payload.get("content_block")
        if index < 0 or not isinstance(raw, dict) or index in self._open:
            self.faults.add(f"{place}: no new block")
            return
        self._open[index] = _StreamedBlock(raw)
        if raw.get("type") == "fallback" and isinstance(raw.get("to"), dict):
            # The last hop's block names the model that answers, as a document's `model` does.
            self._fields["model"] = text_of(raw["to"].get("model")) or self._fields.get("model")

    def _block_delta(self, place: str, payload: dict[str, Any]) -> None:
        block, delta = self._open.get(_index(payload)), payload.get("delta")
        if block is None or not isinstance(delta, dict):
            self.faults.add(f"{place}: a delta without block")
        else:
            block.add(delta)

    def _block_stop(self, place: str, payload: dict[str, Any]) -> None:
        block = self._open.get(_index(payload))
        if block is None:
            self.faults.add(f"{place}: the end of no block")
        else:
            block.stopped = True

    def _message_stop(self, place: str, payload: dict[str, Any]) -> None:
        del place, payload
        self._ended = True

    def _failed(self, place: str, payload: dict[str, Any]) -> None:
        del place
        error = payload.get("error")
        self._error = word_of(error.get("type") if isinstance(error, dict) else None, otherwise="error")


def _index(payload: Mapping[str, Any]) -> int:
    """The place of the block that an event is about; negative when it names none."""
    index = payload.get("index")
    return index if isinstance(index, int) else -1


class _StreamedBlock:
    """A content block while its deltas arrive."""

    __slots__ = ("_arguments", "_raw", "_texts", "stopped")

    def __init__(self, raw: dict[str, Any]) -> None:
        self._raw = dict(raw)
        self._texts: dict[str, list[str]] = {}
        self._arguments: list[str] = []
        self.stopped = False

    def add(self, delta: dict[str, Any]) -> None:
        match delta.get("type"):
            case "text_delta" | "thinking_delta" as kind:
                field = _APPENDED[kind]
                self._texts.setdefault(field, [text_of(self._raw.get(field))]).append(text_of(delta.get(field)))
            case "input_json_delta":
                self._arguments.append(text_of(delta.get("partial_json")))
            case "citations_delta":
                former = self._raw.get("citations")
                self._raw["citations"] = [*(former if isinstance(former, list) else ()), delta.get("citation")]
            case "signature_delta" | "compaction_delta":
                self._raw |= {key: value for key, value in delta.items() if key != "type"}

    def finish(self, index: int, faults: Faults) -> Block:
        for field, parts in self._texts.items():
            self._raw[field] = "".join(parts)
        if not self.stopped:
            faults.add(f"block {index}: cut")
        text = "".join(self._arguments)
        if not text.strip():
            return block_of(self._raw)
        try:
            arguments = read_json(text.encode())
        except BadJsonError:
            arguments = None
        if not isinstance(arguments, dict):
            faults.add(f"block {index}: arguments are no JSON object")
            return block_of(self._raw, partial_json=text)
        return block_of(self._raw | {"input": arguments})


def _edits(management: object) -> tuple[ContextEdit, ...]:
    applied = management.get("applied_edits") if isinstance(management, dict) else None
    if not isinstance(applied, list):
        return ()
    return tuple(
        ContextEdit(
            kind=text_of(edit.get("type")),
            cleared_tool_uses=count_of(edit.get("cleared_tool_uses")),
            cleared_input_tokens=count_of(edit.get("cleared_input_tokens")),
        )
        for edit in applied
        if isinstance(edit, dict)
    )


def _types(entries: object) -> tuple[str, ...]:
    items = entries if isinstance(entries, list) else ()
    return tuple(word_of(item.get("type")) for item in items if isinstance(item, dict))
