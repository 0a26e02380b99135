"""What a dialect is. A new one is one module with these methods and one line in `endpoint.DIALECTS`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from proxy.model.exchange import Headers
from proxy.model.messages import Reply, Request
from proxy.wire.faults import Faults
from proxy.wire.secret_paths import SecretPath


class EndpointKind(StrEnum):
    """What an HTTP exchange is for, by its method and path."""

    MODEL_CALL = "model_call"
    """A call that samples a model and that one of the dialects reads."""
    OUT_OF_SCOPE = "out_of_scope"
    """Of a known provider, but no sampling for an agent: token counting, batches."""
    SOCKET = "socket"
    """Opens a WebSocket; the model calls on it have exchanges of their own."""
    UNKNOWN_DIALECT = "unknown_dialect"
    """A model call in a format that is not read here."""
    OTHER = "other"
    """Everything else (`HEAD /`, `GET /v1/models`)."""


@dataclass(frozen=True, slots=True)
class Unparsed:
    """A request that could not be read; the bytes stay where they are."""

    reason: str
    """Of a closed set, without content: `invalid JSON`, `undecodable: gzip`, …"""
    out_of_scope: bool = False
    """It could be read, and is no sampling that an agent waits for (`background`)."""


class ReplyAssembler(Protocol):
    """Builds one dialect's Reply from the events of its stream, or from its JSON document."""

    faults: Faults

    def event(self, number: int, name: str, payload: object) -> None:
        """One stream event: its place in the stream (from 1), its name and its parsed data."""
        ...

    def document(self, payload: object) -> None:
        """The whole body of a reply that was not streamed."""
        ...

    def reply(self) -> Reply:
        """What has come so far, in canonical form."""
        ...


class Dialect(Protocol):
    """One provider's format of model calls."""

    name: str
    """Stored with every request, shown by `status`."""
    secret_paths: tuple[SecretPath, ...]
    """Where its bodies carry secrets; see `body_secrets`."""

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """What the exchange is for, when this dialect knows the path (without query)."""
        ...

    def read_request(
        self, body: bytes, headers: Headers, former: Request | None = None, *, target: str = ""
    ) -> Request | Unparsed:
        """The request in canonical form; never raises.

        Args:
            body: As recorded, content-encoded as the client sent it.
            headers: The request's header lines.
            former: An earlier request of the same session: what is the same again need not be read again.
            target: Path and query; some dialects name the model there.
        """
        ...

    def open_reply(self, status: int, request: Request | None = None) -> ReplyAssembler:
        """An assembler for the reply with that HTTP status; 0 when no response head came.

        Args:
            status: Of the response.
            request: What is answered: some dialects name a call by what was said before it.
        """
        ...
