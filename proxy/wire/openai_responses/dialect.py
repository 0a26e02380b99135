"""The OpenAI Responses dialect as a whole: its paths, its readers, its body secrets."""

from __future__ import annotations

import re

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.dialect import EndpointKind, Unparsed
from proxy.wire.json_values import BadJsonError, canonical, read_json
from proxy.wire.openai_responses import request
from proxy.wire.openai_responses.reply import ResponseAssembler
from proxy.wire.secret_paths import REDACTED, SecretPath, address, whole

WEBSOCKET = "WEBSOCKET"
"""Stands for the method of a model call that came on a WebSocket."""

_RESPONSES = "/responses"
_CALL_METHODS = frozenset({"POST", WEBSOCKET})
_STORED = re.compile(r"/responses/[^/]+(/cancel|/input_items)?$|/conversations(/[^/]+(/items(/[^/]+)?)?)?$")
"""What is asked about responses and conversations that the provider holds, and token counting."""

_TURN_KEPT = frozenset(
    {
        "agent_name", "compaction", "context_window_id", "history_initialization", "model", "request_kind",
        "session_id", "thread_id", "turn_id", "window_number",
    }
)  # fmt: skip


def turn_only(metadata: str) -> str:
    """What stays of Codex' `x-codex-turn-metadata`: which turn it is. Workspaces and their remotes are a person's."""
    try:
        parts = read_json(metadata.encode("utf-8", "replace"))
    except BadJsonError:
        return REDACTED
    if not isinstance(parts, dict):
        return REDACTED
    kept = {name: value for name, value in parts.items() if name in _TURN_KEPT}
    return metadata if kept == parts else canonical(kept).decode()


def _of_tools(base: str) -> tuple[SecretPath, ...]:
    """Where tool definitions carry secrets: access to MCP servers, and what containers may send to named hosts."""
    return (
        SecretPath(f"{base}.authorization", whole),
        SecretPath(f"{base}.headers.*", whole),
        SecretPath(f"{base}.server_url", address),
        SecretPath(f"{base}.container.network_policy.domain_secrets.*.value", whole),
        SecretPath(f"{base}.environment.network_policy.domain_secrets.*.value", whole),
    )


class OpenAIResponses:
    """`POST …/responses` and `…/responses/compact` behind any base path, and the calls of a WebSocket opened there."""

    name = request.NAME
    secret_paths: tuple[SecretPath, ...] = (
        *_of_tools("tools.*"),
        *_of_tools("input.*.tools.*"),
        SecretPath("safety_identifier", whole),
        SecretPath("user", whole),
        SecretPath("client_metadata.user_id", whole),
        SecretPath("client_metadata.account_id", whole),
        SecretPath("client_metadata.installation_id", whole),
        SecretPath("client_metadata.x-codex-installation-id", whole),
        SecretPath("client_metadata.x-codex-turn-state", whole),
        SecretPath("client_metadata.x-codex-turn-metadata", turn_only),
    )

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """By path suffix; the query and whatever stands before `/responses` do not matter."""
        path = path.rstrip("/")
        if path.endswith(_RESPONSES):
            if method in _CALL_METHODS:
                return EndpointKind.MODEL_CALL
            return EndpointKind.SOCKET if method == "GET" else EndpointKind.OTHER
        if path.endswith(request.COMPACT) and method == "POST":
            return EndpointKind.MODEL_CALL
        return EndpointKind.OUT_OF_SCOPE if _STORED.search(path) else None

    def read_request(
        self, body: bytes, headers: Headers, former: Request | None = None, *, target: str = ""
    ) -> Request | Unparsed:
        """See `request.read_request`."""
        return request.read_request(body, headers, former, path=target.partition("?")[0])

    def open_reply(self, status: int, request: Request | None = None) -> ResponseAssembler:
        """See `reply.ResponseAssembler`."""
        return ResponseAssembler(status, request.model if request else "")
