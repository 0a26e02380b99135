"""Events of a Responses stream, or its JSON document, to a canonical Reply (wire-formats 2.4, 2.5).

Rules of this file:
- Items come from `output_item.done`; the `output` of the terminal event counts when it has more of them, since some
  servers leave it empty. Deltas count for an item whose end did not come.
- Only `response.completed`, `.incomplete` and `.failed`, or a whole document with such a status, are an end.
- `stop_reason` is the status, with its reason: `completed`, `incomplete:max_output_tokens`, `failed`, `cancelled`;
  `compaction` when nothing but a compaction was answered. User messages that a compaction repeats are not the model's.
- Unknown events are skipped; the wire is additive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from proxy.model.messages import Block, BlockKind, Reply
from proxy.model.usage import IterationKind
from proxy.wire.faults import Faults, error_of
from proxy.wire.json_values import Json, object_of, text_of, word_of
from proxy.wire.openai_responses.items import ASSISTANT, MESSAGE, blocks_of, role_of, type_of
from proxy.wire.openai_responses.streamed import STREAMED, StreamedItem
from proxy.wire.openai_responses.usage import billed, kept

_COMPACTED = "response.compaction"
"""`object` of what `/responses/compact` answers."""
_FINAL = frozenset({"completed", "incomplete", "failed"})


class ResponseAssembler:
    """Collects one reply.

    Args:
        status: The HTTP status; 0 when no response head came.
        asked: The model asked for: what `/responses/compact` answers names none.
    """

    def __init__(self, status: int, asked: str = "") -> None:
        self.faults = Faults()
        self._status = status
        self._asked = asked
        self._response: dict[str, Any] = {}
        self._items: dict[int | str, StreamedItem] = {}
        self._ended = False
        self._error = ""
        self._on_event: Mapping[str, Callable[[str, dict[str, Any]], None]] = {
            "response.created": self._progress,
            "response.queued": self._progress,
            "response.in_progress": self._progress,
            "response.output_item.added": self._item_added,
            "response.output_item.done": self._item_done,
            **{f"response.{status}": partial(self._end, status) for status in _FINAL},
            "error": self._failed,
        }

    def event(self, number: int, name: str, payload: object) -> None:
        """One stream event; after the end and after an error nothing counts any more."""
        place = f"event {number}"
        if not isinstance(payload, dict):
            self.faults.add(f"{place}: not an object")
            return
        if self._ended or self._error:
            return
        name = text_of(payload.get("type")) or name or ("error" if isinstance(payload.get("error"), dict) else "")
        if (handle := self._on_event.get(name)) is not None:
            handle(place, payload)
        elif name.rpartition(".")[0] in STREAMED:
            self._text(place, name, payload)

    def document(self, payload: object) -> None:
        """A reply that was not streamed: a response, a compaction or an error."""
        if isinstance(payload, dict) and isinstance(payload.get("output"), list):
            status = "completed" if payload.get("object") == _COMPACTED else text_of(payload.get("status"))
            self._take(payload)
            self._close(status, is_end=status in _FINAL or not status)
        elif isinstance(payload, dict) and isinstance(payload.get("error"), dict):
            self._failed("body", payload)
        else:
            self.faults.add("body: not a response")

    def reply(self) -> Reply:
        """What has come so far."""
        blocks = self._blocks()
        is_pass = self._response.get("object") == _COMPACTED
        model = text_of(self._response.get("model")) or (self._asked if is_pass else "")
        is_compaction = is_pass or _is_only_compaction(blocks)
        kind = IterationKind.COMPACTION if is_compaction else IterationKind.MESSAGE
        bill = billed(self._response, blocks, kind, model)
        return Reply(
            id=text_of(self._response.get("id")),
            model=model,
            blocks=blocks,
            stop_reason=_stop_reason(self._response, is_compaction=is_compaction),
            terminal=self._ended and not error_of(self._status),
            iterations=bill.iterations,
            transformations=_transformations(self._response.get("input_transformations")),
            usage_raw=kept(self._response),
            usage_disagrees=bill.disagrees,
            error=self._error or error_of(self._status),
            faults=self.faults.texts(),
        )

    def _blocks(self) -> tuple[Block, ...]:
        output = self._response.get("output")
        raws: list[Json] = output if isinstance(output, list) else []
        if len(raws) <= sum(item.is_done for item in self._items.values()):
            raws = [item.finish(key, self.faults) for key, item in self._items.items()]
        return tuple([block for place, raw in enumerate(raws) for block in self._blocks_of(place, raw)])

    def _blocks_of(self, place: int, raw: Json) -> tuple[Block, ...]:
        if not isinstance(raw, dict):
            self.faults.add(f"item {place}: not an object")
            return (Block(kind=BlockKind.OTHER, raw=raw),)
        if type_of(raw) == MESSAGE and role_of(raw) not in ("", ASSISTANT):
            return ()
        blocks = blocks_of(raw)
        if raw.get("type") == "function_call" and blocks[0].arguments is None:
            self.faults.add(f"item {place}: arguments are no JSON object")
        return blocks

    def _progress(self, place: str, payload: dict[str, Any]) -> None:
        response = payload.get("response")
        if isinstance(response, dict):
            self._take(response)
        else:
            self.faults.add(f"{place}: no response")

    def _take(self, response: dict[str, Any]) -> None:
        known = self._response
        self._response = known | {
            key: value for key, value in response.items() if value is not None or key not in known
        }

    def _end(self, status: str, place: str, payload: dict[str, Any]) -> None:
        self._progress(place, payload)
        self._close(status, is_end=True)

    def _close(self, status: str, *, is_end: bool) -> None:
        self._response["status"] = status
        self._ended = is_end
        if status == "failed":
            self._failed("", self._response)

    def _failed(self, place: str, payload: dict[str, Any]) -> None:
        """An error is an object, or, in an event of a stream, its fields stand in the event itself."""
        del place
        error = payload["error"] if isinstance(payload.get("error"), dict) else payload
        family = "" if error is payload else error.get("type")
        self._error = word_of(error.get("code"), otherwise=word_of(family, otherwise="error"))

    def _item_added(self, place: str, payload: dict[str, Any]) -> None:
        key, raw = _key(payload), payload.get("item")
        if not isinstance(raw, dict) or key in self._items:
            self.faults.add(f"{place}: no new item")
        else:
            self._items[key] = StreamedItem(raw)

    def _item_done(self, place: str, payload: dict[str, Any]) -> None:
        key, raw = _key(payload), payload.get("item")
        if not isinstance(raw, dict) or (key in self._items and self._items[key].is_done):
            self.faults.add(f"{place}: the end of no item")
        else:
            self._items.setdefault(key, StreamedItem(raw)).end(raw)

    def _text(self, place: str, name: str, payload: dict[str, Any]) -> None:
        item = self._items.get(_key(payload))
        if item is None:
            self.faults.add(f"{place}: a delta without item")
        else:
            item.take(name, payload)


def _key(payload: Mapping[str, Any]) -> int | str:
    """Which item an event is about: its place in the output, else its id."""
    index, item = payload.get("output_index"), payload.get("item")
    if isinstance(index, int):
        return index
    return text_of(payload.get("item_id")) or (text_of(item.get("id")) if isinstance(item, dict) else "")


def _is_only_compaction(blocks: tuple[Block, ...]) -> bool:
    """Whether a compaction is all there is, but for what was thought."""
    kinds = {block.kind for block in blocks} - {BlockKind.THINKING}
    return kinds == {BlockKind.COMPACTION}


def _stop_reason(response: Mapping[str, Any], *, is_compaction: bool) -> str:
    match response.get("status"):
        case "completed":
            return "compaction" if is_compaction else "completed"
        case "incomplete":
            reason = word_of(object_of(response.get("incomplete_details")).get("reason"), otherwise="")
            return f"incomplete:{reason}" if reason else "incomplete"
        case "failed" | "cancelled" as status:
            return str(status)
        case _:
            return ""


def _transformations(entries: Json) -> tuple[str, ...]:
    items = [item for item in entries if isinstance(item, dict)] if isinstance(entries, list) else []
    return tuple([word_of(f"{item.get('type')}_{item.get('action')}") for item in items])
