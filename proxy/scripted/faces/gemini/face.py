"""The face of Gemini: the model and the way to answer stand in the address."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.scripted.faces.face import Asked, BadCallError, Failure, compact_json, json_bytes
from proxy.scripted.faces.gemini.reading import body_of, either
from proxy.scripted.faces.gemini.writing import chunks, response_of
from proxy.scripted.faces.identity import identity_of
from proxy.scripted.reply import Reply
from proxy.scripted.settings import Chunking
from proxy.scripted.view import unanswered

Json = Mapping[str, Any]

STATUS_WORDS: Mapping[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


@dataclass(frozen=True, slots=True)
class Gemini:
    """`POST /v1beta/models/MODEL:METHOD`."""

    model: str
    streams: bool = False
    as_events: bool = False
    """`alt=sse`; else a stream is one JSON array."""
    name: str = "gemini"
    id_prefix: str = ""
    is_framed: bool = False

    @property
    def stream_type(self) -> str:
        """By the way in which it streams."""
        return "text/event-stream" if self.as_events else "application/json; charset=UTF-8"

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """The contents; a request that counts tokens may hold them one level deeper."""
        inner = either(document, "generateContentRequest")
        asked = inner if isinstance(inner, Mapping) else document
        if not isinstance(asked.get("contents"), list):
            raise BadCallError("* GenerateContentRequest.contents: contents is not specified")
        body = body_of(asked, self.model)
        if unanswered(body["messages"]):
            text = (
                "Please ensure that the number of function response parts is equal to the number of function call parts"
            )
            raise BadCallError(text)
        session, agent = identity_of(headers, document)
        return Asked(body=body, raw=document, stream=self.streams, session=session, agent=agent, schema=_schema(asked))

    def document(self, _asked: Asked, reply: Reply) -> Json:
        """The response object."""
        return response_of(reply)

    def frames(self, _asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """Events, or the elements of an array with their brackets."""
        if self.as_events:
            yield from (_event(chunk) for chunk in chunks(document, chunking.delta_chars))
            return
        for at, chunk in enumerate(chunks(document, chunking.delta_chars)):
            yield (b",\r\n" if at else b"[") + json_bytes(chunk)
        yield b"\n]\n"

    def failure_frame(self, failure: Failure) -> bytes:
        """An error in the place of the next chunk."""
        told = self.failure_document(failure, "")
        return _event(told) if self.as_events else b",\r\n" + json_bytes(told) + b"\n]\n"

    def failure_document(self, failure: Failure, _request_id: str) -> Json:
        """An error body."""
        word = STATUS_WORDS.get(failure.status, "UNKNOWN")
        return {"error": {"code": failure.status, "message": failure.message, "status": word}}

    def headers(self, _request_id: str) -> Mapping[str, str]:
        """None that names the request."""
        return {"server": "scripted"}

    def counted(self, _asked: Asked, tokens: int, _unedited: int) -> Json:
        """What the prompt costs."""
        return {"totalTokens": tokens, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens}]}


def _event(document: Json) -> bytes:
    return f"data: {compact_json(document)}\r\n\r\n".encode("utf-8", "surrogatepass")


def _schema(document: Json) -> Json | None:
    """The schema of a wanted JSON answer; JSON without one is an empty object."""
    config = either(document, "generationConfig")
    if not isinstance(config, Mapping) or either(config, "responseMimeType") != "application/json":
        return None
    schema = either(config, "responseJsonSchema") or either(config, "responseSchema")
    return schema if isinstance(schema, Mapping) else {}
