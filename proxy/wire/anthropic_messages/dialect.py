"""The Anthropic Messages dialect as a whole: its paths, its readers, its body secrets."""

from __future__ import annotations

import re

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.anthropic_messages.reply import MessageAssembler
from proxy.wire.anthropic_messages.request import NAME, read_request
from proxy.wire.dialect import EndpointKind, Unparsed
from proxy.wire.json_values import BadJsonError, canonical, read_json
from proxy.wire.secret_paths import REDACTED, SecretPath, address, whole

_MESSAGES = "/v1/messages"
_LEGACY_SESSION = re.compile(r"session_[0-9a-fA-F-]{36}$")


def session_only(user_id: str) -> str:
    """What stays of `metadata.user_id`: the session.

    Claude Code puts device and account there too, which are a person's, and nothing here needs them. Its former form
    was `user_…_account_…_session_…`.
    """
    try:
        parts = read_json(user_id.encode("utf-8", "replace"))
    except BadJsonError:
        parts = None
    if isinstance(parts, dict):
        kept = {"session_id": parts["session_id"]} if isinstance(parts.get("session_id"), str) else {}
        return canonical(kept).decode()
    legacy = _LEGACY_SESSION.search(user_id)
    return legacy.group() if legacy else REDACTED


class AnthropicMessages:
    """`POST …/v1/messages` behind any base path; what hangs below that path is no sampling for an agent."""

    name = NAME
    secret_paths: tuple[SecretPath, ...] = (
        SecretPath("mcp_servers.*.authorization_token", whole),
        SecretPath("mcp_servers.*.headers.*", whole),
        SecretPath("mcp_servers.*.url", address),
        SecretPath("tools.*.authorization_token", whole),
        SecretPath("tools.*.headers.*", whole),
        SecretPath("fallback_credit_token", whole),
        SecretPath("stop_details.fallback_credit_token", whole),
        SecretPath("metadata.user_id", session_only),
    )

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """By path suffix; the query and whatever stands before `/v1/messages` do not matter."""
        path = path.rstrip("/")
        if path.endswith(_MESSAGES):
            return EndpointKind.MODEL_CALL if method == "POST" else EndpointKind.OTHER
        return EndpointKind.OUT_OF_SCOPE if f"{_MESSAGES}/" in path else None

    def read_request(
        self, body: bytes, headers: Headers, former: Request | None = None, *, target: str = ""
    ) -> Request | Unparsed:
        """See `request.read_request`."""
        del target
        return read_request(body, headers, former)

    def open_reply(self, status: int, request: Request | None = None) -> MessageAssembler:
        """See `reply.MessageAssembler`."""
        del request
        return MessageAssembler(status)
