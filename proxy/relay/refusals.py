"""Answers of our own. They never look like the provider's: `x-compaction-gate-error` says which one it is."""

from __future__ import annotations

import json
from enum import StrEnum
from http import HTTPStatus
from typing import NamedTuple


class Kind(StrEnum):
    """Why we answered ourselves; the value of `x-compaction-gate-error` and a metric label."""

    BAD_FRAMING = "bad_framing"
    HEAD_TOO_LARGE = "head_too_large"
    BAD_PATH = "bad_path"
    TOKEN = "token"  # noqa: S105 a word, not a secret
    ORIGIN = "origin"
    NO_UPSTREAM = "no_upstream"
    UNKNOWN_RUN = "unknown_run"
    UPSTREAM_UNREACHABLE = "upstream_unreachable"
    UPSTREAM_TLS = "upstream_tls"
    EGRESS_PROXY = "egress_proxy"
    UPSTREAM_CLOSED = "upstream_closed"
    UPSTREAM_FRAMING = "upstream_framing"
    CONNECT_TIMEOUT = "connect_timeout"


class _Form(NamedTuple):
    status: HTTPStatus
    type: str
    """Error type in the provider's words (wire-formats 1.7)."""
    message: str


_FORMS = {
    Kind.BAD_FRAMING: _Form(HTTPStatus.BAD_REQUEST, "invalid_request_error", "This request cannot be relayed safely"),
    Kind.HEAD_TOO_LARGE: _Form(
        HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "invalid_request_error", "The request head is too large"
    ),
    Kind.BAD_PATH: _Form(
        HTTPStatus.BAD_REQUEST,
        "invalid_request_error",
        "After a prefix of ours the path must not have empty, dot or encoded-slash segments",
    ),
    Kind.TOKEN: _Form(
        HTTPStatus.BAD_REQUEST, "invalid_request_error", "This relay asks for a valid x-compaction-token"
    ),
    Kind.ORIGIN: _Form(
        HTTPStatus.BAD_REQUEST, "invalid_request_error", "Requests with Origin need a valid x-compaction-token"
    ),
    Kind.NO_UPSTREAM: _Form(
        HTTPStatus.NOT_FOUND, "not_found_error", "The path names no configured upstream and there is no default one"
    ),
    Kind.UNKNOWN_RUN: _Form(HTTPStatus.NOT_FOUND, "not_found_error", "This run is not known here"),
    Kind.UPSTREAM_UNREACHABLE: _Form(HTTPStatus.BAD_GATEWAY, "api_error", "The upstream cannot be reached"),
    Kind.UPSTREAM_TLS: _Form(HTTPStatus.BAD_GATEWAY, "api_error", "TLS with the upstream failed"),
    Kind.EGRESS_PROXY: _Form(HTTPStatus.BAD_GATEWAY, "api_error", "The egress proxy gave no way to the upstream"),
    Kind.UPSTREAM_CLOSED: _Form(HTTPStatus.BAD_GATEWAY, "api_error", "The upstream closed the connection unanswered"),
    Kind.UPSTREAM_FRAMING: _Form(HTTPStatus.BAD_GATEWAY, "api_error", "The upstream's answer cannot be relayed safely"),
    Kind.CONNECT_TIMEOUT: _Form(HTTPStatus.GATEWAY_TIMEOUT, "timeout_error", "The upstream did not answer in time"),
}


def refusal(kind: Kind, detail: str = "", *, with_body: bool = True) -> bytes:
    """The whole answer; the connection is to be closed after it. `detail` must hold nothing of the request's values."""
    status, error_type, message = _FORMS[kind]
    text = f"compaction-gate: {message}: {detail}." if detail else f"compaction-gate: {message}."
    error = {"type": error_type, "message": text, "code": f"compaction_gate_{kind.value}"}
    body = json.dumps({"type": "error", "error": error}, ensure_ascii=True).encode("ascii")
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        f"content-type: application/json\r\n"
        f"content-length: {len(body)}\r\n"
        f"x-compaction-gate-error: {kind.value}\r\n"
        f"connection: close\r\n\r\n"
    ).encode("ascii")
    return head + body if with_body else head
