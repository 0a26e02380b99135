from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say, Think
from proxy.scripted.faces.gemini.face import Gemini
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.sending.answer import Answer
from proxy.scripted.settings import Chunking, ProviderSettings

WORK = Script(name="work", steps=(Step(do=(Think("hm"), Say("Look at it."), Read("a"), Read("b"))),))
BROKEN = Script(name="broken", steps=(Step(do=(Say("x" * 30),), fault=Fault(kind=FaultKind.STREAM_ERROR)),))
UNTOLD = Script(name="untold", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.USAGE_MISSING)),))
TOOLS = [{"functionDeclarations": [{"name": "read_file"}]}]


def asked(face: Gemini, prompt: str = "[script work]", **fields: Any) -> Answer:
    chunking = Chunking(delta_chars=4)
    provider = Provider(ProviderSettings(scripts=(WORK, BROKEN, UNTOLD), deterministic=True, chunking=chunking))
    contents = [{"role": "user", "parts": [{"text": prompt}]}]
    return provider.answer({}, json.dumps({"contents": contents, "tools": TOOLS, **fields}).encode(), face)


def chunks(face: Gemini, prompt: str = "[script work]") -> list[dict[str, Any]]:
    raw = b"".join(asked(face, prompt).pieces).decode()
    if face.as_events:
        return [json.loads(event.removeprefix("data: ")) for event in raw.split("\r\n\r\n")[:-1]]
    told: list[dict[str, Any]] = json.loads(raw)
    return told


EVENTS, ARRAY = Gemini("m", streams=True, as_events=True), Gemini("m", streams=True)


@pytest.mark.parametrize("face", [EVENTS, ARRAY])
def test_a_stream_adds_up_to_the_whole_answer_and_its_last_usage_counts(face: Gemini) -> None:
    whole, told = json.loads(asked(Gemini("m")).pieces[0]), chunks(face)
    parts = [part for chunk in told for part in chunk["candidates"][0]["content"]["parts"]]
    expected = whole["candidates"][0]["content"]["parts"]
    assert [part for part in parts if "functionCall" in part] == expected[2:]
    assert "".join(part["text"] for part in parts if "text" in part and "thought" not in part) == "Look at it."
    assert told[-1]["usageMetadata"] == whole["usageMetadata"]
    assert told[0]["usageMetadata"]["candidatesTokenCount"] == 0
    assert [chunk["candidates"][0].get("finishReason") for chunk in told][-1] == "STOP"


def test_of_parallel_calls_only_the_first_is_signed() -> None:
    parts = json.loads(asked(Gemini("m")).pieces[0])["candidates"][0]["content"]["parts"]
    assert ["thoughtSignature" in part for part in parts] == [False, False, True, False]


@pytest.mark.parametrize("face", [EVENTS, ARRAY])
def test_a_stream_that_breaks_ends_with_an_error(face: Gemini) -> None:
    assert chunks(face, "[script broken]")[-1]["error"]["status"] == "UNAVAILABLE"


def test_usage_may_be_missing() -> None:
    assert all("usageMetadata" not in chunk for chunk in chunks(EVENTS, "[script untold]"))


def test_an_answer_in_a_given_form_is_given_in_it() -> None:
    config = {"responseMimeType": "application/json", "responseSchema": {"type": "OBJECT", "required": ["a"]}}
    document = json.loads(asked(Gemini("m"), "choose", generationConfig=config, tools=[]).pieces[0])
    assert json.loads(document["candidates"][0]["content"]["parts"][0]["text"]) == {"a": ""}


@pytest.mark.parametrize(
    "contents", [None, [{"parts": [{"functionResponse": {"name": "f", "id": "c", "response": {}}}]}]]
)
def test_what_makes_no_sense_is_a_400(contents: Any) -> None:
    answer = asked(Gemini("m"), contents=contents)
    assert (answer.status, json.loads(answer.pieces[0])["error"]["status"]) == (400, "INVALID_ARGUMENT")
