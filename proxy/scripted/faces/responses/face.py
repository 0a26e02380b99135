"""The face of Responses, and its variants for the WebSocket and for `/responses/compact`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.scripted.faces.face import Asked, BadCallError, Failure, compact_json, json_bytes
from proxy.scripted.faces.identity import identity_of
from proxy.scripted.faces.openai import error_of, headers_of
from proxy.scripted.faces.responses.events import events
from proxy.scripted.faces.responses.memory import Memory
from proxy.scripted.faces.responses.reading import body_of, items_in
from proxy.scripted.faces.responses.writing import compacted_of, output_of, response_of
from proxy.scripted.reply import Reply
from proxy.scripted.settings import Chunking
from proxy.scripted.view import unanswered

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Responses:
    """`POST /v1/responses`."""

    memory: Memory
    name: str = "openai_responses"
    id_prefix: str = "resp_"
    stream_type: str = "text/event-stream; charset=utf-8"
    is_framed: bool = False

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """History that the provider holds, then the request's own items."""
        if not isinstance(document.get("model"), str):
            raise BadCallError("Missing required parameter: 'model'.", param="model", code="missing_required_parameter")
        items = (*self.memory.history(document), *items_in(document, self.memory))
        body = body_of(document, items, self.memory.seals)
        if fault := unanswered(body["messages"]):
            raise BadCallError(fault, param="input")
        session, agent = identity_of(headers, document)
        return Asked(
            body=body,
            raw=document,
            stream=document.get("stream") is True,
            session=session,
            agent=agent,
            prewarm=document.get("generate") is False,
            schema=_schema(document),
            items=items,
        )

    def document(self, asked: Asked, reply: Reply) -> Json:
        """The response object; what it holds is kept as the request says."""
        output = list(output_of(asked, reply, self.memory.seals))
        response = response_of(asked, reply, output)
        if asked.raw.get("store") is not False or self.memory.behind is not None:
            history = (item for item in asked.items if item.get("type") != "compaction_trigger")
            self.memory.keep(asked.raw, (*history, *output), response)
        return response

    def frames(self, _asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """Server-sent events."""
        return (_sse(event) for event in events(document, chunking.delta_chars))

    def failure_frame(self, failure: Failure) -> bytes:
        """An `error` event; flat, other than in a body (wire-formats 2.5)."""
        told = error_of(failure)
        return _sse({"type": "error", **{name: told[name] for name in ("code", "message", "param")}})

    def failure_document(self, failure: Failure, _request_id: str) -> Json:
        """An error body."""
        return {"error": error_of(failure)}

    def headers(self, request_id: str) -> Mapping[str, str]:
        """The request's id."""
        return headers_of(request_id)

    def counted(self, _asked: Asked, tokens: int, _unedited: int) -> Json:
        """What the prompt costs."""
        return {"object": "response.input_tokens", "input_tokens": tokens}


@dataclass(frozen=True, slots=True)
class Compact(Responses):
    """`POST /v1/responses/compact`: answers with a new history and is never streamed."""

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """As a request that ends with a compaction trigger."""
        given = items_in(document, self.memory)
        asked = Responses.read(self, headers, {**document, "input": [*given, {"type": "compaction_trigger"}]})
        return Asked(
            body=asked.body, raw=document, stream=False, session=asked.session, agent=asked.agent, items=asked.items
        )

    def document(self, asked: Asked, reply: Reply) -> Json:
        """User messages and the summary."""
        return compacted_of(asked, reply, self.memory.seals)


@dataclass(frozen=True, slots=True)
class Socket(Responses):
    """One `response.create` on a WebSocket: every event is a text frame, errors are nested (wire-formats 2.6)."""

    lane: str = ""
    """`stream_id`; every frame of the answer carries it."""
    is_framed: bool = True

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """A frame is a body with its type and lane; its answer is always a stream."""
        bare = {name: value for name, value in document.items() if name not in {"type", "stream_id"}}
        return Responses.read(self, headers, {**bare, "stream": True})

    def frames(self, _asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """Texts of frames."""
        return (self._text(event) for event in events(document, chunking.delta_chars))

    def failure_frame(self, failure: Failure) -> bytes:
        """An `error` frame."""
        return self._text({"type": "error", "status": failure.status, "error": error_of(failure)})

    def failure_document(self, failure: Failure, _request_id: str) -> Json:
        """The same: a socket has no statuses."""
        return {"type": "error", "status": failure.status, "error": error_of(failure), **self._lane()}

    def _text(self, event: Json) -> bytes:
        return json_bytes({**event, **self._lane()})

    def _lane(self) -> Json:
        return {"stream_id": self.lane} if self.lane else {}


def _sse(event: Json) -> bytes:
    return f"event: {event['type']}\ndata: {compact_json(event)}\n\n".encode("utf-8", "surrogatepass")


def _schema(document: Json) -> Json | None:
    text = document.get("text")
    wanted = text.get("format") if isinstance(text, Mapping) else None
    schema = wanted.get("schema") if isinstance(wanted, Mapping) else None
    return schema if isinstance(schema, Mapping) else None
