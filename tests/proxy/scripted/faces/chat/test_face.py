from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Say, Tool
from proxy.scripted.faces.chat.face import Chat
from proxy.scripted.faces.chat.servers import ChatServer
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.sending.answer import Answer
from proxy.scripted.settings import ProviderSettings

PATCH = Script(name="patch", steps=(Step(do=(Tool("apply_patch", {"input": "*** Begin Patch"}),)),))
BUSY = Script(name="busy", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.STATUS, retry_after_s=1)),))
UNTOLD = Script(name="untold", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.USAGE_MISSING)),))
CUSTOM = {"type": "custom", "custom": {"name": "apply_patch"}}


def asked(prompt: str = "hi", **fields: Any) -> Answer:
    provider = Provider(ProviderSettings(scripts=(PATCH, BUSY, UNTOLD), deterministic=True))
    messages = [{"role": "user", "content": prompt}]
    body = json.dumps({"model": "m", "messages": messages, **fields}).encode()
    return provider.answer({}, body, Chat(ChatServer()))


@pytest.mark.parametrize("stream", [False, True])
def test_a_free_text_tool_is_called_with_its_text(stream: bool) -> None:
    raw = b"".join(asked("[script patch]", tools=[CUSTOM], stream=stream).pieces)
    assert b'"custom":{"input":"*** Begin Patch","name":"apply_patch"}' in raw or b'{"input":"*** Begin Patch"}' in raw


def test_an_answer_in_a_given_form_is_given_in_it() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
    wanted = {"type": "json_schema", "json_schema": {"name": "n", "schema": schema}}
    document = json.loads(asked(response_format=wanted).pieces[0])
    assert json.loads(document["choices"][0]["message"]["content"]) == {"a": 0}


def test_overload_is_a_503_with_openais_words() -> None:
    answer = asked("[script busy]")
    assert (answer.status, answer.headers["retry-after"]) == (503, "1")
    assert json.loads(answer.pieces[0])["error"]["type"] == "server_error"


@pytest.mark.parametrize("stream", [False, True])
def test_usage_may_be_missing(stream: bool) -> None:
    raw = b"".join(asked("[script untold]", stream=stream, stream_options={"include_usage": True}).pieces)
    assert b"usage" not in raw


@pytest.mark.parametrize("messages", [None, [{"role": "tool", "tool_call_id": "c", "content": "x"}]])
def test_what_makes_no_sense_is_a_400(messages: Any) -> None:
    answer = asked(messages=messages)
    assert (answer.status, json.loads(answer.pieces[0])["error"]["param"]) == (400, "messages")
