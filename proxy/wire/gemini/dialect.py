"""The Gemini dialect as a whole: its paths, its readers, its body secrets."""

from __future__ import annotations

import re

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.dialect import EndpointKind, Unparsed
from proxy.wire.gemini.reply import ResponseAssembler
from proxy.wire.gemini.request import NAME, read_request
from proxy.wire.secret_paths import SecretPath, address, whole

_SAMPLED = re.compile(
    r"/(?:(?:models|tunedModels|endpoints)/[^/]+|v1internal):(?:generateContent|streamGenerateContent)$"
)
_BESIDE = re.compile(
    r"/(?:models|tunedModels|endpoints)/[^/]+:(?:batchGenerateContent|countTokens|computeTokens)$|/v1internal:countTokens$"
)

_WHOLE = (
    "tools.*.googleMaps.authConfig",
    "tools.*.google_maps.auth_config",
    "tools.*.retrieval.externalApi.apiAuth",
    "tools.*.retrieval.externalApi.authConfig",
    "tools.*.retrieval.external_api.api_auth",
    "tools.*.retrieval.external_api.auth_config",
    "tools.*.mcpServers.*.streamableHttpTransport.headers.*",
    "tools.*.mcp_servers.*.streamable_http_transport.headers.*",
)


class Gemini:
    """`POST …/models/{model}:generateContent` and `:streamGenerateContent` behind any base path.

    Vertex speaks the same format under `…/publishers/google/models/` and `…/endpoints/`.
    """

    name = NAME
    secret_paths: tuple[SecretPath, ...] = (
        SecretPath("tools.*.mcpServers.*.streamableHttpTransport.url", address),
        SecretPath("tools.*.mcp_servers.*.streamable_http_transport.url", address),
        *(SecretPath(path, whole) for path in _WHOLE),
    )

    def kind_of(self, method: str, path: str) -> EndpointKind | None:
        """By path suffix; the query and whatever stands before it do not matter."""
        path = path.rstrip("/")
        if _SAMPLED.search(path):
            return EndpointKind.MODEL_CALL if method == "POST" else EndpointKind.OTHER
        return EndpointKind.OUT_OF_SCOPE if _BESIDE.search(path) else None

    def read_request(
        self, body: bytes, headers: Headers, former: Request | None = None, *, target: str = ""
    ) -> Request | Unparsed:
        """See `request.read_request`."""
        return read_request(body, headers, former, target)

    def open_reply(self, status: int, request: Request | None = None) -> ResponseAssembler:
        """See `reply.ResponseAssembler`."""
        return ResponseAssembler(status, request)
