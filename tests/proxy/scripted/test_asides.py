from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.scripted.asides import aside_of, example_of
from proxy.scripted.view import View
from tests.support.scripted import S0_TOOLS, user


def aside(prompt: str, *, system: str = "", schema: dict[str, Any] | None = None, tools: Any = ()) -> Any:
    view = View({"system": system, "messages": [user(prompt)], "tools": tools})
    return aside_of(view, schema, lambda _: "SUMMARY")


@pytest.mark.parametrize(
    ("prompt", "system", "text"),
    [
        ("You are performing a CONTEXT CHECKPOINT COMPACTION. …", "", "SUMMARY"),
        ("Provide a detailed prompt for continuing our conversation above.", "", "SUMMARY"),
        ("# USER …", "*Briefly* summarize this partial conversation about programming.", "SUMMARY"),
        ("first", "You are the component that summarizes internal chat history into …", "<state_snapshot>\nSUMMARY"),
        ("CRITICAL: Respond with TEXT ONLY.", "", "<summary>\nSUMMARY\n</summary>"),
    ],
)
def test_a_request_for_a_summary_is_known_by_its_opening(prompt: str, system: str, text: str) -> None:
    found = aside(prompt, system=system)
    assert (found.purpose, text in found.text) == ("summary", True)


def test_a_title_is_no_work_though_the_prompt_names_a_script() -> None:
    assert aside("Generate a title for this conversation:\n[script work]").purpose == "side"


def test_an_answer_in_a_given_form_is_given_in_it_and_only_without_tools() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}
    assert json.loads(aside("choose", schema=schema).text) == {"a": 0}
    assert aside("work", schema=schema, tools=S0_TOOLS) is None


def test_work_is_no_aside() -> None:
    assert aside("[script work]") is None


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "enum": ["x", "y"]}, "x"),
        ({"const": 3}, 3),
        ({"type": ["string", "null"]}, ""),
        ({"type": "ARRAY"}, []),
        ({"type": "number", "minimum": 1}, 1),
        ({}, {}),
        ({"type": "OBJECT", "required": ["a"], "properties": {"a": {"type": "BOOLEAN"}, "b": {}}}, {"a": False}),
        ({"type": "object", "required": ["unknown"]}, {"unknown": ""}),
    ],
)
def test_the_least_value_of_a_schema(schema: dict[str, Any], value: object) -> None:
    assert example_of(schema) == value
