"""Responses of a Gemini stream, or its JSON document, to a canonical Reply (wire-formats 4).

Rules of this file:
- Every event holds a whole response object with the next parts; without `alt=sse` the same objects are the items of
  one array.
- The end is a `finishReason` on candidate 0, a blocked prompt, or a whole document.
- `usageMetadata` repeats; the last one counts. Candidate 0 is the conversation, further ones are left out and said.
- A tool call ends with STOP: it counts by its part.
- After an error nothing counts any more.
"""

from __future__ import annotations

from typing import Any

from proxy.model.messages import BlockKind, Reply, Request
from proxy.wire.call_names import named_reply
from proxy.wire.faults import Faults, error_of
from proxy.wire.gemini.members import items, member
from proxy.wire.gemini.parts import blocks_of
from proxy.wire.gemini.usage import billed
from proxy.wire.json_values import Json, object_of, text_of, word_of


class ResponseAssembler:
    """Collects one reply.

    Args:
        status: The HTTP status; 0 when no response head came.
        request: What is answered; its history names calls without an id.
    """

    def __init__(self, status: int, request: Request | None) -> None:
        self.faults = Faults()
        self._status = status
        self._history = request.messages if request else ()
        self._id = ""
        self._model = ""
        self._usage: dict[str, Any] | None = None
        self._parts: list[Json] = []
        self._finish = ""
        self._block = ""
        self._searches = 0
        self._ended = False
        self._error = ""

    def event(self, number: int, name: str, payload: object) -> None:
        """One response object of a stream."""
        del name
        self._take(f"event {number}", payload)

    def document(self, payload: object) -> None:
        """A reply that is one document: a response, an error, or an array of them that was streamed."""
        if isinstance(payload, list):
            for number, item in enumerate(payload, 1):
                self._take(f"item {number}", item)
        elif self._take("body", payload) and not self._error:
            self._ended = True

    def reply(self) -> Reply:
        """What has come so far."""
        blocks = named_reply(self._history, blocks_of(self._parts, by_model=True))
        if any(block.kind is BlockKind.CALL and block.arguments is None for block in blocks):
            self.faults.add("arguments of a call are no JSON object")
        blocked = bool(self._block) and not blocks
        bill = billed(self._usage, model=self._model, searches=self._searches, blocked=blocked)
        return Reply(
            id=self._id,
            model=self._model,
            blocks=blocks,
            stop_reason=self._finish or self._block,
            terminal=self._ended and not error_of(self._status),
            iterations=bill.iterations,
            usage_raw=self._usage,
            usage_disagrees=bill.disagrees,
            error=self._error or error_of(self._status),
            faults=self.faults.texts(),
        )

    def _take(self, place: str, payload: object) -> bool:
        """Whether it was a response or an error."""
        if not isinstance(payload, dict):
            self.faults.add(f"{place}: not an object")
            return False
        if self._error:
            return True
        error = payload.get("error")
        if error:
            self._error = _error_word(error)
            return True
        response = payload.get("response")
        if isinstance(response, dict):  # Gemini CLI's own service
            self._id = text_of(member(payload, "traceId")) or self._id
            payload = response
        return self._response(place, payload)

    def _response(self, place: str, response: dict[str, Any]) -> bool:
        self._id = text_of(member(response, "responseId")) or self._id
        self._model = text_of(member(response, "modelVersion")) or self._model
        self._take_usage(member(response, "usageMetadata"))
        reason = member(object_of(member(response, "promptFeedback")), "blockReason")
        if isinstance(reason, str) and reason:
            self._block, self._ended = reason, True
        candidates = member(response, "candidates")
        for candidate in items(response, "candidates"):
            self._candidate(place, candidate)
        if candidates is None and not self._ended and member(response, "usageMetadata") is None:
            self.faults.add(f"{place}: not a response")
            return False
        return True

    def _take_usage(self, usage: Json) -> None:
        if isinstance(usage, dict):
            self._usage = usage
        elif usage is not None:
            self.faults.add("usage is not an object")

    def _candidate(self, place: str, candidate: Json) -> None:
        if not isinstance(candidate, dict):
            self.faults.add(f"{place}: a candidate that is no object")
            return
        if candidate.get("index") not in (None, 0):
            self.faults.add("further candidates are left out")
            return
        content = candidate.get("content")
        if isinstance(content, dict):
            self._parts += items(content, "parts")
        elif content is not None:
            self.faults.add(f"{place}: a content that is no object")
        grounding = object_of(member(candidate, "groundingMetadata"))
        self._searches = len(items(grounding, "webSearchQueries")) or self._searches
        reason = member(candidate, "finishReason")
        if isinstance(reason, str) and reason:
            self._finish, self._ended = reason, True


def _error_word(error: Json) -> str:
    if not isinstance(error, dict):
        return "error"
    code = error.get("code")
    return word_of(error.get("status"), otherwise=f"error_{code}" if type(code) is int else "error")
