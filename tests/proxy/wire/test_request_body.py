from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from proxy.model.messages import Message, Request
from proxy.wire.dialect import Unparsed
from proxy.wire.json_values import require_shallow
from proxy.wire.request_body import comparable, known, request_of
from tests.support.wire import encoded

REQUEST = Request(dialect="d", model="", stream=False, system=(), messages=(), tools=(), metadata={})


def build(document: Mapping[str, Any]) -> Request:
    require_shallow(document)
    return replace(REQUEST, metadata=document)


def test_the_object_of_a_body_is_built_from() -> None:
    body, headers = encoded(b'{"a": 1}', "gzip")
    request = request_of(body, headers, build)
    assert isinstance(request, Request)
    assert request.metadata == {"a": 1}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"7", "not an object"),
        (b"{", "invalid JSON"),
        (b'{"a":"\xff"}', "invalid UTF-8"),
        (b'{"a":' + b"[" * 300 + b"]" * 300 + b"}", "too deeply nested"),
    ],
)
def test_a_body_without_an_object_says_why(body: bytes, reason: str) -> None:
    assert request_of(body, (), build) == Unparsed(reason)


def test_a_body_that_cannot_be_decoded_says_why() -> None:
    assert request_of(b"{}", (("Content-Encoding", "gzip"),), build) == Unparsed("undecodable: gzip")


def test_only_a_wholly_read_request_of_the_same_dialect_is_compared_with() -> None:
    assert comparable(REQUEST, "d") is REQUEST
    assert comparable(REQUEST, "e") is None
    assert comparable(replace(REQUEST, faults=("x",)), "d") is None
    assert comparable(None, "d") is None


def test_what_is_the_same_at_the_same_place_is_known() -> None:
    former = [Message(role="user", blocks=(), raw={"a": 1}), Message(role="user", blocks=(), raw={"a": 2})]
    assert known(former, {"a": 2}, 1) is former[1]
    assert known(former, {"a": 2}, 0) is None
    assert known(former, {"a": 2}, 2) is None
