"""The face of Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from proxy.scripted.faces.chat.reading import body_of
from proxy.scripted.faces.chat.servers import ChatServer
from proxy.scripted.faces.chat.stream import frames, line
from proxy.scripted.faces.chat.writing import completion_of
from proxy.scripted.faces.face import Asked, BadCallError, Failure, compact_json
from proxy.scripted.faces.identity import identity_of
from proxy.scripted.faces.openai import error_of, headers_of
from proxy.scripted.reply import Reply
from proxy.scripted.settings import Chunking
from proxy.scripted.view import unanswered

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Chat:
    """`POST /v1/chat/completions`, as one server speaks it."""

    server: ChatServer
    name: str = "openai_chat"
    id_prefix: str = "chatcmpl-"
    stream_type: str = "text/event-stream"
    is_framed: bool = False

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """The messages. Histories whose calls and results do not pair up are refused, as OpenAI does."""
        if not isinstance(document.get("messages"), list):
            raise BadCallError("Missing required parameter: 'messages'.", param="messages")
        body = body_of(document)
        if self.server.calls_with_ids and (fault := unanswered(body["messages"])):
            raise BadCallError(fault, param="messages")
        session, agent = identity_of(headers, document)
        return Asked(
            body=body,
            raw=document,
            stream=document.get("stream") is True,
            session=session,
            agent=agent,
            schema=_schema(document),
        )

    def document(self, asked: Asked, reply: Reply) -> Json:
        """The completion object."""
        return completion_of(asked, reply, self.server)

    def frames(self, asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """Its chunks."""
        options = asked.raw.get("stream_options")
        asks_usage = isinstance(options, Mapping) and options.get("include_usage") is True
        return frames(document, self.server, delta_chars=chunking.delta_chars, asks_usage=asks_usage)

    def failure_frame(self, failure: Failure) -> bytes:
        """A chunk with an error: a stream that began well has no other place for it."""
        told = error_of(failure)
        if self.server.error_chunks:
            told = {"code": failure.status, "message": failure.message, "metadata": {"provider_name": "Scripted"}}
        return line(compact_json({"error": told}), self.server)

    def failure_document(self, failure: Failure, _request_id: str) -> Json:
        """An error body."""
        return {"error": error_of(failure)}

    def headers(self, request_id: str) -> Mapping[str, str]:
        """The request's id."""
        return headers_of(request_id)

    def counted(self, _asked: Asked, tokens: int, _unedited: int) -> Json:
        """No endpoint asks for it; the form is that of Responses."""
        return {"object": "response.input_tokens", "input_tokens": tokens}


def _schema(document: Json) -> Json | None:
    wanted = document.get("response_format")
    inner = wanted.get("json_schema") if isinstance(wanted, Mapping) else None
    schema = inner.get("schema") if isinstance(inner, Mapping) else None
    return schema if isinstance(schema, Mapping) else None
