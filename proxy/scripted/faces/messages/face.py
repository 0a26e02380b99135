"""Anthropic Messages: the canonical form itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from proxy.scripted.faces.face import Asked, BadCallError, Failure
from proxy.scripted.faces.identity import identity_of
from proxy.scripted.faces.messages.stream import error_frame, frames
from proxy.scripted.faces.messages.usage import usage_of
from proxy.scripted.reply import Reply
from proxy.scripted.settings import Chunking
from proxy.scripted.view import unpaired

Json = Mapping[str, Any]

STATUS_OF_ERROR: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
"""Error type of each status."""


@dataclass(frozen=True, slots=True)
class Messages:
    """`POST /v1/messages`."""

    reports_iterations: bool = False
    name: str = "anthropic_messages"
    id_prefix: str = "msg_"
    stream_type: str = "text/event-stream"
    is_framed: bool = False

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """As it came."""
        messages = document.get("messages")
        if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
            raise BadCallError("messages: a list of objects is required")
        if fault := unpaired(messages):
            raise BadCallError(fault)
        session, agent = identity_of(headers, document)
        return Asked(
            body=document,
            raw=document,
            stream=document.get("stream") is True,
            session=session,
            agent=agent,
            prewarm=document.get("max_tokens") == 0,
        )

    def document(self, _asked: Asked, reply: Reply) -> Json:
        """A message object."""
        usage = usage_of(reply.samplings, with_iterations=self.reports_iterations) if reply.tells_usage else None
        return message(
            message_id=reply.id,
            model=reply.model,
            blocks=reply.blocks,
            stop_reason=reply.stop_reason,
            usage=usage,
            edits=reply.edits,
        )

    def frames(self, _asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """Its events."""
        return frames(document, chunking)

    def failure_frame(self, failure: Failure) -> bytes:
        """An `error` event."""
        return error_frame(_kind(failure), failure.message)

    def failure_document(self, failure: Failure, request_id: str) -> Json:
        """An error body."""
        return error(_kind(failure), failure.message, request_id)

    def headers(self, request_id: str) -> Mapping[str, str]:
        """The request's id."""
        return {"request-id": request_id}

    def counted(self, asked: Asked, tokens: int, unedited: int) -> Json:
        """What the prompt costs, and what it would without server-side edits."""
        more = {"context_management": {"original_input_tokens": unedited}} if "context_management" in asked.raw else {}
        return {"input_tokens": tokens, **more}


def _kind(failure: Failure) -> str:
    return STATUS_OF_ERROR.get(failure.status, "api_error")


def message(
    *, message_id: str, model: str, blocks: Sequence[Json], stop_reason: str, usage: Json | None, edits: Sequence[Json]
) -> dict[str, Any]:
    """A whole answer; without `usage` the provider forgot to bill."""
    whole: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": stop_reason,
        "stop_sequence": None,
    }
    if usage is not None:
        whole["usage"] = dict(usage)
    if edits:
        whole["context_management"] = {"applied_edits": list(edits)}
    return whole


def error(kind: str, text: str, request_id: str) -> dict[str, Any]:
    """An error body (wire-formats 1.7)."""
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": request_id}
