from __future__ import annotations

import pytest

from proxy.scripted.faces.face import Failure
from proxy.scripted.faces.openai import error_of, headers_of


@pytest.mark.parametrize(
    ("failure", "kind", "code"),
    [
        (Failure(400, "no"), "invalid_request_error", None),
        (Failure(400, "no", "previous_response_not_found"), "invalid_request_error", "previous_response_not_found"),
        (Failure(429, "no"), "requests", "rate_limit_exceeded"),
        (Failure(503, "no"), "server_error", "server_is_overloaded"),
        (Failure(599, "no"), "server_error", None),
    ],
)
def test_an_error_has_type_and_code_of_its_status(failure: Failure, kind: str, code: str | None) -> None:
    assert error_of(failure) == {"message": "no", "type": kind, "param": None, "code": code}


def test_every_answer_names_its_request() -> None:
    assert headers_of("req_1")["x-request-id"] == "req_1"
