from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.faces.gemini.reading import body_of, either, signature_of


def blocks(*contents: dict[str, Any]) -> list[dict[str, Any]]:
    return [block for message in body_of({"contents": list(contents)}, "m")["messages"] for block in message["content"]]


def asked(**call: Any) -> dict[str, Any]:
    return {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {"a": 1}, **call}}]}


def answered(**answer: Any) -> dict[str, Any]:
    return {"role": "user", "parts": [{"functionResponse": {"name": "f", "response": {"output": "x"}, **answer}}]}


def test_calls_and_results_are_joined_by_their_ids() -> None:
    assert blocks(asked(id="c"), answered(id="c")) == [
        {"type": "tool_use", "id": "c", "name": "f", "input": {"a": 1}},
        {"type": "tool_result", "tool_use_id": "c", "content": "x"},
    ]


def test_without_ids_the_signature_tells_and_without_that_the_order() -> None:
    signed = {"role": "model", "parts": [{"functionCall": {"name": "f"}, "thoughtSignature": signature_of("toolu_1")}]}
    found = blocks(signed, answered(), asked(), answered(), answered())
    assert [block.get("id") or block.get("tool_use_id") for block in found] == [
        "toolu_1",
        "toolu_1",
        "call_1",
        "call_1",
        "",
    ]


@pytest.mark.parametrize("signature", ["?", "/w==", 1])
def test_a_foreign_signature_tells_nothing(signature: object) -> None:
    part = {"functionCall": {"name": "f"}, "thoughtSignature": signature}
    assert blocks({"role": "model", "parts": [part]})[0]["id"] == "call_0"


@pytest.mark.parametrize(
    ("response", "text"),
    [({"output": "a"}, "a"), ({"result": "a"}, "a"), ({"error": "a"}, "a"), ({"x": 1}, '{"x": 1}'), (None, "null")],
)
def test_a_result_is_found_where_clients_put_it(response: object, text: str) -> None:
    assert blocks(answered(response=response))[0]["content"] == text


def test_snake_case_is_accepted() -> None:
    declared = {"function_declarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}
    body = body_of({"system_instruction": "s", "tools": [declared, {"googleSearch": {}}], "contents": []}, "m")
    assert body["system"] == [{"type": "text", "text": "s"}]
    assert body["tools"] == [{"name": "f", "input_schema": {"type": "OBJECT"}}, {"googleSearch": {}}]
    assert either({"a_b": 1}, "aB") == 1


def test_thoughts_and_pictures_are_kept() -> None:
    image = {"inlineData": {"mimeType": "image/png", "data": ""}}
    found = blocks({"role": "model", "parts": [{"text": "hm", "thought": True}]}, {"parts": [image]})
    assert (found[0]["thinking"], found[1]) == ("hm", image)
