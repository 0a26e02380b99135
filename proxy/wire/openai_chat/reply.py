"""Chunks of a chat completion, or its JSON document, to a canonical Reply (wire-formats 3.1, 3.2).

Rules of this file:
- The end is a `finish_reason` on choice 0, or a whole document. `[DONE]` is none: servers leave it out, and send it
  after a stream that broke. A stream without `finish_reason` is no turn.
- Usage may stand in a chunk without choices, in the last one, or in every one: the last that is an object counts.
- Choice 0 is the conversation; other choices (`n` > 1) are left out and said. Usage covers all of them.
- Calls count by the part that holds them, whatever `finish_reason` says.
- After an error nothing counts any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proxy.model.messages import Block, BlockKind, Reply, Request
from proxy.wire.call_names import named_reply
from proxy.wire.faults import Faults, error_of
from proxy.wire.json_values import Json, text_of, word_of
from proxy.wire.openai_chat.blocks import THINKING_FIELDS, blocks_of
from proxy.wire.openai_chat.calls import StreamedCalls
from proxy.wire.openai_chat.usage import billed

_APPENDED = ("content", "refusal", *THINKING_FIELDS)


class CompletionAssembler:
    """Collects one reply.

    Args:
        status: The HTTP status; 0 when no response head came.
        request: What is answered; its history names calls without an id.
    """

    def __init__(self, status: int, request: Request | None) -> None:
        self.faults = Faults()
        self._status = status
        self._history = request.messages if request else ()
        self._fields: dict[str, str] = {}
        self._usage: dict[str, Any] | None = None
        self._message: dict[str, Any] = {}
        self._texts: dict[str, list[str]] = {}
        self._parts: list[Json] = []
        self._calls = StreamedCalls()
        self._finish = ""
        self._ended = False
        self._error = ""

    def event(self, number: int, name: str, payload: object) -> None:
        """One chunk."""
        del name
        place = f"event {number}"
        if not isinstance(payload, dict):
            self.faults.add(f"{place}: not an object")
        elif not self._error:
            self._take_fields(payload)
            for choice in self._followed(place, payload.get("choices")):
                self._delta(place, choice.get("delta", choice.get("message")))
                self._finished(choice.get("finish_reason"))
            self._failed(payload)

    def document(self, payload: object) -> None:
        """A reply that was not streamed: a completion or an error."""
        if not isinstance(payload, dict):
            self.faults.add("body: not a completion")
            return
        self._take_fields(payload)
        self._failed(payload)
        followed = list(self._followed("body", payload.get("choices")))
        choice = followed[0] if followed else {}
        message = choice.get("message")
        if isinstance(message, dict):
            self._message = message
            self._finished(choice.get("finish_reason"))
            self._ended = True
        elif not self._error:
            self.faults.add("body: not a completion")

    def reply(self) -> Reply:
        """What has come so far."""
        blocks = named_reply(self._history, blocks_of(self._whole_message()))
        self._note_arguments(blocks)
        model = self._fields.get("model", "")
        bill = billed(self._usage, model=model, tier=self._fields.get("service_tier", ""))
        return Reply(
            id=self._fields.get("id", ""),
            model=model,
            blocks=blocks,
            stop_reason=self._finish,
            terminal=self._ended and not error_of(self._status),
            iterations=bill.iterations,
            usage_raw=self._usage,
            usage_disagrees=bill.disagrees,
            error=self._error or error_of(self._status),
            faults=self.faults.texts(),
        )

    def _take_fields(self, payload: dict[str, Any]) -> None:
        for field in ("id", "model", "service_tier"):
            if payload.get(field) and isinstance(payload[field], str):
                self._fields[field] = payload[field]
        usage = payload.get("usage")
        if isinstance(usage, dict):
            timings = payload.get("timings")
            self._usage = usage | ({"timings": timings} if isinstance(timings, dict) else {})
        elif usage is not None:
            self.faults.add("usage is not an object")

    def _followed(self, place: str, choices: Json) -> Iterator[dict[str, Any]]:
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict):
                self.faults.add(f"{place}: a choice that is no object")
            elif choice.get("index") in (None, 0):
                yield choice
            else:
                self.faults.add("further choices are left out")

    def _delta(self, place: str, delta: Json) -> None:
        if not isinstance(delta, dict):
            if delta is not None:
                self.faults.add(f"{place}: a delta that is no object")
            return
        for field in _APPENDED:
            if isinstance(delta.get(field), str):
                self._texts.setdefault(field, []).append(delta[field])
            elif isinstance(delta.get(field), list) and field == "content":
                self._parts += delta[field]
        fragments = delta.get("tool_calls")
        for fragment in fragments if isinstance(fragments, list) else ():
            if not self._calls.add(fragment):
                self.faults.add(f"{place}: a call that is no object")
        if isinstance(delta.get("function_call"), dict):
            self._old_call(delta["function_call"])

    def _old_call(self, piece: dict[str, Any]) -> None:
        call = self._message.setdefault("function_call", {"name": "", "arguments": ""})
        call["name"] = call["name"] or text_of(piece.get("name"))
        call["arguments"] += text_of(piece.get("arguments"))

    def _finished(self, reason: Json) -> None:
        if isinstance(reason, str) and reason:
            self._finish = reason
            self._ended = True

    def _failed(self, payload: dict[str, Any]) -> None:
        """An error stands under `error`, or is the document itself (vLLM of old); its code may be a number."""
        error = payload if payload.get("object") == "error" else payload.get("error")
        if isinstance(error, dict):
            self._error = _error_word(error)
        elif error:
            self._error = "error"
        elif self._finish == "error":
            self._error = "finish_error"

    def _whole_message(self) -> dict[str, Any]:
        """What was streamed, as a document would hold it."""
        message = self._message | {field: "".join(pieces) for field, pieces in self._texts.items()}
        if self._parts:  # some servers stream content as parts
            message["content"] = [*self._parts, *([message["content"]] if message.get("content") else ())]
        calls = self._calls.whole()
        return message | ({"tool_calls": calls} if calls else {})

    def _note_arguments(self, blocks: tuple[Block, ...]) -> None:
        calls = [block for block in blocks if block.kind is BlockKind.CALL]
        for place, block in enumerate(calls, 1):
            if block.arguments is None and "custom" not in block.raw:
                self.faults.add(f"call {place}: arguments are no JSON object")


def _error_word(error: dict[str, Any]) -> str:
    code = error.get("code")
    if type(code) is int:
        return f"error_{code}"
    return word_of(code, otherwise=word_of(error.get("type"), otherwise="error"))
