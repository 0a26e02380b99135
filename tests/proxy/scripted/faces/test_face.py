from __future__ import annotations

import pytest

from proxy.scripted.faces.chat.face import Chat
from proxy.scripted.faces.chat.servers import ChatServer
from proxy.scripted.faces.face import arguments_of, cut, json_bytes, objects, status_of
from proxy.scripted.faces.messages.face import Messages


def test_overloaded_is_said_in_each_dialects_own_status() -> None:
    assert status_of(Messages(), 529) == 529
    assert status_of(Chat(ChatServer()), 529) == 503
    assert status_of(Chat(ChatServer()), 429) == 429


@pytest.mark.parametrize(
    ("text", "value"), [('{"a": 1}', {"a": 1}), ({"a": 1}, {"a": 1}), ("{", {"input": "{"}), ("[]", {"input": "[]"})]
)
def test_arguments_that_are_no_object_are_kept_as_they_came(text: object, value: object) -> None:
    assert arguments_of(text) == value


def test_small_tools() -> None:
    assert cut("abcde", 2) == ["ab", "cd", "e"]
    assert objects([1, {"a": 1}]) == [{"a": 1}]
    assert objects("x") == []
    assert json_bytes({"b": "é", "a": 1}) == '{"b":"é","a":1}'.encode()
