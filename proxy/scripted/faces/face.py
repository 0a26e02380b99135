"""What a face is: one dialect's way to read a request and to write a reply, an error, a count."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from proxy.scripted.reply import Reply
from proxy.scripted.settings import Chunking

Json = Mapping[str, Any]
OVERLOADED = 529


class BadCallError(Exception):
    """A request that is refused."""

    def __init__(self, message: str, *, status: int = 400, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.failure = Failure(status, message, code, param)


class Failure(NamedTuple):
    """Why there is no answer."""

    status: int
    message: str
    code: str | None = None
    """OpenAI's finer word for it."""
    param: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One request in canonical form."""

    body: Json
    """In the form of Anthropic Messages, server-side edits included: what policy, edits and cache look at."""
    raw: Json
    """As received."""
    stream: bool
    session: str = ""
    """The client's own session id; empty without one."""
    agent: str = ""
    """The client's sub-agent id; empty on its main thread."""
    prewarm: bool = False
    """Nothing is to be answered."""
    schema: Json | None = None
    """The answer must be JSON of this schema."""
    items: tuple[Json, ...] = ()
    """Responses: history and input as items, for what the provider keeps."""


class Face(Protocol):
    """One dialect."""

    @property
    def name(self) -> str:
        """As in `Served.dialect`."""
        ...

    @property
    def id_prefix(self) -> str:
        """Before the ids of its replies."""
        ...

    @property
    def stream_type(self) -> str:
        """Content type of its streams."""
        ...

    @property
    def is_framed(self) -> bool:
        """Every frame of a stream travels by itself, without content encoding (WebSocket)."""
        ...

    def read(self, headers: Mapping[str, str], document: Json) -> Asked:
        """The request in canonical form. Raises BadCallError."""
        ...

    def document(self, asked: Asked, reply: Reply) -> Json:
        """The reply as one JSON document."""
        ...

    def frames(self, asked: Asked, document: Json, chunking: Chunking) -> Iterator[bytes]:
        """The same reply as a stream."""
        ...

    def failure_frame(self, failure: Failure) -> bytes:
        """An error inside a stream that began well."""
        ...

    def failure_document(self, failure: Failure, request_id: str) -> Json:
        """An error as the body of its status."""
        ...

    def headers(self, request_id: str) -> Mapping[str, str]:
        """Headers of every answer."""
        ...

    def counted(self, asked: Asked, tokens: int, unedited: int) -> Json:
        """The answer to a request that only counts tokens."""
        ...


def status_of(face: Face, status: int) -> int:
    """The status as the dialect has it: 529 is Anthropic's own."""
    return 503 if status == OVERLOADED and face.name != "anthropic_messages" else status


def compact_json(value: object) -> str:
    """JSON without blanks, in the order in which it was built."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def json_bytes(value: object) -> bytes:
    """The same as bytes; lone surrogates of a script pass through."""
    return compact_json(value).encode("utf-8", "surrogatepass")


def cut(text: str, size: int) -> list[str]:
    """The text in parts of that many characters."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def objects(value: object) -> list[Json]:
    """The objects in a list; whatever else is there is left out."""
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def arguments_of(text: object) -> Json:
    """Tool arguments from their JSON text; what is no object is kept as it is."""
    try:
        value = json.loads(text) if isinstance(text, str) else text
    except ValueError:
        value = None
    return value if isinstance(value, Mapping) else {"input": text}
