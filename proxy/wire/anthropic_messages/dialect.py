"""The Anthropic Messages dialect as a whole: its paths, its readers, its body secrets."""

from __future__ import annotations

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.anthropic_messages import request
from proxy.wire.anthropic_messages.reply import MessageAssembler
from proxy.wire.dialect import EndpointKind, Unparsed

_MESSAGES = "/v1/messages"


class AnthropicMessages:
    """`POST …/v1/messages` behind any base path; what hangs below that path is no sampling for an agent."""

    name = request.NAME
    secret_paths: tuple[str, ...] = (
        "mcp_servers.*.authorization_token",
        "mcp_servers.*.headers.*",
        "tools.*.authorization_token",
        "tools.*.headers.*",
        "fallback_credit_token",
        "stop_details.fallback_credit_token",
        "delta.stop_details.fallback_credit_token",
    )

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """By path suffix; the query and whatever stands before `/v1/messages` do not matter."""
        path = path.rstrip("/")
        if path.endswith(_MESSAGES):
            return EndpointKind.MODEL_CALL if method == "POST" else EndpointKind.OTHER
        return EndpointKind.OUT_OF_SCOPE if f"{_MESSAGES}/" in path else None

    def read_request(self, body: bytes, headers: Headers) -> Request | Unparsed:
        """See `request.read_request`."""
        return request.read_request(body, headers)

    def open_reply(self, status: int) -> MessageAssembler:
        """See `reply.MessageAssembler`."""
        return MessageAssembler(status)
