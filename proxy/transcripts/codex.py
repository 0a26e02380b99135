"""Codex' rollout files as model calls.

A rollout is a line of items as they entered the history. What the model wrote between two things that were put to it
is one reply; usage stands behind it, in a record of its own or in a count of tokens. A `compacted` record brings the
history that stands in place of the former one. What it does not tell: tools, prompts of summary calls, failed tries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

import orjson

from proxy.journey.reading import Reading
from proxy.model.exchange import Headers
from proxy.model.ids import ExchangeId
from proxy.model.messages import Block, BlockKind, Message, Reply, Request
from proxy.model.usage import IterationKind
from proxy.transcripts.calls import Beside, Record, Told
from proxy.transcripts.stub import TOLD_TOOLS, exchange
from proxy.transcripts.trouble import Trouble
from proxy.wire.json_values import Json, object_of, text_of, word_of
from proxy.wire.openai_responses.items import ASSISTANT, blocks_of, parts_of, role_of
from proxy.wire.openai_responses.request import NAME
from proxy.wire.openai_responses.usage import billed, kept

WITHOUT_ITEMS = frozenset({"world_state", "ghost_snapshot", "inter_agent_communication_metadata", "state"})
"""Types of records that add nothing to what the model sees."""
_CONTEXT = re.compile(r"\s*<[a-z_]+>")
"""Opens a user message that the client wrote by itself."""


@dataclass(slots=True)
class _Answer:
    """One reply while its items come."""

    history: tuple[Message, ...]
    asked_us: int
    ended_us: int
    model: str
    items: list[dict[str, Json]] = field(default_factory=list)
    id: str = ""
    usage: dict[str, Json] | None = None
    is_over: bool = False
    """What came next was put to the model."""

    @property
    def name(self) -> str:
        """What makes it the same in another file: the provider's id of it, else that of its first item."""
        named = (text_of(item.get("id")) or text_of(item.get("call_id")) for item in self.items)
        return self.id or next(filter(None, named), "")

    @property
    def blocks(self) -> tuple[Block, ...]:
        """All it said."""
        return tuple(block for item in self.items for block in blocks_of(item))

    def messages(self) -> list[Message]:
        """As they stand in the history."""
        return [_message(item) for item in self.items]


class Codex:
    """Reads one rollout's records in order. Replies that another file of the session told are passed over."""

    def __init__(self, beside: Beside, trouble: Trouble) -> None:
        self.beside = beside
        self._trouble = trouble
        self._session, self._thread, self._version = "", "", ""
        self._model = ""
        self._system: tuple[Block, ...] = ()
        self._history: list[Message] = []
        self._asked_us = 0
        self._answer: _Answer | None = None
        self._window = 0
        self._number = 0
        self._is_compacted = False
        """No call came since the last compaction."""
        self._has_records = False
        """Usage stands in records of its own: counts of tokens repeat it."""
        self._counted: Json = None
        self._on: Mapping[str, Callable[[Record, dict[str, Json]], Iterator[Told]]] = {
            "session_meta": self._meta,
            "turn_context": self._context,
            "response_item": self._item,
            "token_usage_record": self._usage_record,
            "event_msg": self._event,
            "compacted": self._compacted,
        }

    def take(self, record: Record) -> Iterator[Told]:
        """One record further: the call that is known to be over by it."""
        kind, payload = text_of(record.body.get("type")), record.body.get("payload")
        handle = self._on.get(kind)
        if handle is None:
            if kind not in WITHOUT_ITEMS:
                self._note(f"unknown record type {word_of(kind)}", record)
        elif isinstance(payload, dict):
            yield from handle(record, payload)
        else:
            self._note(f"{word_of(kind)} record without payload", record)

    def end(self) -> Iterator[Told]:
        """The reply that was open."""
        yield from self._close()

    # --- records ---

    def _meta(self, record: Record, payload: dict[str, Json]) -> Iterator[Told]:
        del record
        if not self._thread:
            self._thread = text_of(payload.get("id"))
            self._session = text_of(payload.get("session_id")) or self._thread
            self._version = text_of(payload.get("cli_version"))
            told = payload.get("base_instructions") or payload.get("instructions")
            self._system = parts_of(told.get("text") if isinstance(told, dict) else told)
        yield from ()

    def _context(self, record: Record, payload: dict[str, Json]) -> Iterator[Told]:
        del record
        self._model = text_of(payload.get("model")) or self._model
        yield from ()

    def _item(self, record: Record, item: dict[str, Json]) -> Iterator[Told]:
        if role_of(item) == ASSISTANT:
            if self._answer is None or self._answer.is_over or self._answer.usage is not None:
                yield from self._close()
                self._answer = self._begin(record)
            self._answer.items.append(item)
            self._answer.ended_us = record.at_us
            return
        self._settle()
        self._history.append(_message(item))
        self._asked_us = record.at_us

    def _usage_record(self, record: Record, payload: dict[str, Json]) -> Iterator[Told]:
        self._has_records = True
        if self._answer is None or self._answer.usage is not None:
            yield from self._close()
            self._answer = self._begin(record)
        self._answer.id = text_of(payload.get("response_id"))
        self._answer.usage = _as_responses(payload.get("usage"))

    def _event(self, record: Record, payload: dict[str, Json]) -> Iterator[Told]:
        del record
        match payload.get("type"):
            case "token_count" if not self._has_records:
                self._count(object_of(payload.get("info")))
            case "thread_rolled_back":
                yield from self._close()
                self._roll_back(payload.get("num_turns"))

    def _count(self, info: Mapping[str, Json]) -> None:
        total = info.get("total_token_usage")
        is_news, self._counted = total is not None and total != self._counted, total or self._counted
        if is_news and self._answer and self._answer.usage is None:
            self._answer.usage = _as_responses(info.get("last_token_usage"))

    def _compacted(self, record: Record, payload: dict[str, Json]) -> Iterator[Told]:
        answer = self._answer
        if answer is not None and self._is_summary(answer, payload):
            yield from self._close(is_summary=True)
        else:
            yield from self._close()
        summary = text_of(payload.get("message"))
        history = payload.get("replacement_history")
        if isinstance(history, list):
            self._history = [_message(item) for item in history if isinstance(item, dict)]
        else:
            kept = [message for message in self._history if message.role not in (ASSISTANT, "tool")]
            self._history = [*kept, Message(role="user", blocks=parts_of(summary))]
        self.beside.marks += 1
        self._window += 1
        self._asked_us = record.at_us
        self._is_compacted = True

    def _is_summary(self, answer: _Answer, payload: Mapping[str, Json]) -> bool:
        if named := text_of(payload.get("compaction_response_id")):
            return answer.id == named
        said = "\n".join(block.text for block in answer.blocks if block.kind is BlockKind.TEXT)
        return not answer.is_over and bool(said) and said.strip() in text_of(payload.get("message"))

    def _roll_back(self, turns: Json) -> None:
        """Forget the user's last turns, with all that followed them."""
        typed = [
            place
            for place, message in enumerate(self._history)
            if message.role == "user" and not any(_CONTEXT.match(block.text) for block in message.blocks)
        ]
        if isinstance(turns, int) and 0 < turns <= len(typed):
            del self._history[typed[-turns] :]

    # --- calls ---

    def _begin(self, record: Record) -> _Answer:
        return _Answer(tuple(self._history), self._asked_us or record.at_us, record.at_us, self._model)

    def _settle(self) -> None:
        """The open reply is whole, though its usage may still come: it stands in the history now."""
        if self._answer is not None and not self._answer.is_over:
            self._answer.is_over = True
            self._history += self._answer.messages()

    def _close(self, *, is_summary: bool = False) -> Iterator[Told]:
        if not is_summary:
            self._settle()
        answer, self._answer = self._answer, None
        if answer is None:
            return
        if answer.name and answer.name in self.beside.replies:
            self.beside.repeated += 1 + len(answer.items)
            return
        self.beside.replies.add(answer.name)
        self.beside.followed += self._is_compacted
        self._is_compacted = False
        self._number += 1
        writer = blake2b(self._thread.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        stub = exchange(
            ExchangeId(writer, self._number), self._headers(is_summary=is_summary), answer.asked_us, answer.ended_us
        )
        yield Told(stub, Reading(self._request(answer, is_summary=is_summary), _reply(answer, is_summary=is_summary)))

    def _request(self, answer: _Answer, *, is_summary: bool) -> Request:
        return Request(
            dialect=NAME,
            model=answer.model,
            stream=True,
            system=self._system,
            messages=answer.history,
            tools=TOLD_TOOLS,
            metadata={"store": False},
            on_demand_compaction=is_summary,
        )

    def _headers(self, *, is_summary: bool) -> Headers:
        """What this client would have sent."""
        metadata = orjson.dumps({"request_kind": "compaction" if is_summary else "turn"}).decode()
        return (
            ("user-agent", f"codex_cli_rs/{self._version}"),
            ("session-id", self._session),
            ("thread-id", self._thread),
            ("x-codex-window-id", f"{self._thread}:{self._window}"),
            ("x-codex-turn-metadata", metadata),
        )

    def _note(self, reason: str, record: Record) -> None:
        self._trouble.note(reason, record.file, record.line)


def _message(item: dict[str, Json]) -> Message:
    return Message(role=role_of(item), blocks=blocks_of(item))


def _reply(answer: _Answer, *, is_summary: bool) -> Reply:
    response = {"usage": answer.usage}
    kind = IterationKind.COMPACTION if is_summary and not answer.items else IterationKind.MESSAGE
    bill = billed(response, answer.blocks, kind, answer.model)
    return Reply(
        id=answer.id,
        model=answer.model,
        blocks=answer.blocks,
        stop_reason="",
        terminal=True,
        iterations=bill.iterations,
        usage_raw=kept(response),
        usage_disagrees=bill.disagrees,
    )


def _as_responses(usage: Json) -> dict[str, Json] | None:
    """Usage in the words of the Responses API."""
    if not isinstance(usage, dict):
        return None
    return {
        "input_tokens": usage.get("input_tokens"),
        "input_tokens_details": {
            "cached_tokens": usage.get("cached_input_tokens"),
            "cache_write_tokens": usage.get("cache_write_input_tokens"),
        },
        "output_tokens": usage.get("output_tokens"),
        "output_tokens_details": {"reasoning_tokens": usage.get("reasoning_output_tokens")},
        "total_tokens": usage.get("total_tokens"),
    }
