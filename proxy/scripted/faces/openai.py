"""What OpenAI's two dialects have in common: errors and headers (wire-formats 2.7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.scripted.faces.face import Failure

Json = Mapping[str, Any]

KIND_OF_STATUS: Mapping[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", None),
    404: ("invalid_request_error", None),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", "server_error"),
    503: ("server_error", "server_is_overloaded"),
}
"""Error type and code of each status."""


def error_of(failure: Failure) -> dict[str, Any]:
    """The error object."""
    kind, code = KIND_OF_STATUS.get(failure.status, ("server_error", None))
    return {"message": failure.message, "type": kind, "param": failure.param, "code": failure.code or code}


def headers_of(request_id: str) -> Mapping[str, str]:
    """Headers of every answer."""
    return {"x-request-id": request_id, "openai-processing-ms": "1"}
