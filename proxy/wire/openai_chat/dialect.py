"""The Chat Completions dialect as a whole: its paths, its readers, its body secrets."""

from __future__ import annotations

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.dialect import EndpointKind, Unparsed
from proxy.wire.openai_chat.reply import CompletionAssembler
from proxy.wire.openai_chat.request import NAME, read_request
from proxy.wire.secret_paths import SecretPath, address, whole

_COMPLETIONS = "/chat/completions"


class OpenAIChat:
    """`POST …/chat/completions` behind any base path, Azure's deployments among them.

    What hangs below that path reads, changes or deletes stored completions.
    """

    name = NAME
    secret_paths: tuple[SecretPath, ...] = (
        SecretPath("user", whole),
        SecretPath("safety_identifier", whole),
        SecretPath("mcp_servers.*.authorization_token", whole),
        SecretPath("mcp_servers.*.headers.*", whole),
        SecretPath("mcp_servers.*.url", address),
        SecretPath("tools.*.server_url", address),
        SecretPath("tools.*.headers.*", whole),
        SecretPath("tools.*.authorization", whole),
    )

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """By path suffix; the query and whatever stands before it do not matter."""
        path = path.rstrip("/")
        if path.endswith(_COMPLETIONS):
            return EndpointKind.MODEL_CALL if method == "POST" else EndpointKind.OTHER
        return EndpointKind.OUT_OF_SCOPE if f"{_COMPLETIONS}/" in path else None

    def read_request(
        self, body: bytes, headers: Headers, former: Request | None = None, *, target: str = ""
    ) -> Request | Unparsed:
        """See `request.read_request`."""
        del target
        return read_request(body, headers, former)

    def open_reply(self, status: int, request: Request | None = None) -> CompletionAssembler:
        """See `reply.CompletionAssembler`."""
        return CompletionAssembler(status, request)
