"""The harness' own reading: bills by dialect, lines of the docs, the table that a run writes."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.cache import InputUsage
from proxy.scripted.provider import Served
from proxy.scripted.reply import Sampling
from tests.clients import billed
from tests.clients.check import Finding
from tests.clients.page import table
from tests.clients.report import Outcome
from tests.clients.scenario import Kind
from tests.clients.snippets import DOCS, settings_file, snippet, snippets

USAGE = InputUsage(uncached=1, read=2, written_5m=3, written_1h=4)


def served(dialect: str, **request: Any) -> Served:
    return Served(
        number=1,
        at_us=0,
        dialect=dialect,
        session="",
        agent="",
        label="",
        purpose="turn",
        attempt=1,
        status=200,
        fault="",
        message_id="m",
        stop_reason="end_turn",
        samplings=(Sampling("message", "model", USAGE, 5, 0),),
        edits=(),
        blocks=(),
        headers={"x-session-id": "s", "x-own": "1"},
        request=request,
    )


@pytest.mark.parametrize(
    ("dialect", "row"),
    [
        ("anthropic_messages", ("message", 1, 2, 3, 4, 0, 0, 5)),
        ("openai_responses", ("message", 1, 2, 0, 0, 3, 4, 5)),
        ("gemini", ("message", 8, 2, 0, 0, 0, 0, 5)),
    ],
)
def test_a_bill_is_told_in_the_words_of_its_dialect(dialect: str, row: tuple[object, ...]) -> None:
    assert billed.told(served(dialect)) == [row]


@pytest.mark.parametrize(
    ("request_", "tells"),
    [
        ({}, True),
        ({"stream": True}, False),
        ({"stream": True, "stream_options": {}}, False),
        ({"stream": True, "stream_options": {"include_usage": True}}, True),
    ],
)
def test_a_streamed_completion_tells_usage_only_when_asked(request_: dict[str, Any], tells: bool) -> None:
    asked = served("openai_chat", **request_)
    assert billed.tells_usage(asked) is tells
    assert bool(billed.told(asked)) is tells


def test_every_snippet_of_the_docs_names_a_session() -> None:
    found = snippets(DOCS.read_text(encoding="utf-8"))
    assert found.keys() <= set(Kind)
    assert all("x-compaction-session" in text for text in found.values())
    assert snippet(Kind.LITELLM) == found["litellm"]
    assert "review-42 of aider" in settings_file(Kind.AIDER)


def test_the_table_says_what_a_door_adds_and_what_was_not_run() -> None:
    plain = served("openai_chat", model="m")
    more = served("openai_chat", model="m", prompt_cache_key="k")
    good, bad = Finding("calls", 1, 1), Finding("calls", 1, 2)
    rows = table(
        [
            Outcome(client="a", scenario="read-twice", door="base URL", findings=[good], served=[plain]),
            Outcome(client="a", scenario="read-twice", door="intercept", findings=[bad], served=[more]),
            Outcome(client="b", scenario="all", not_run="npm is not installed"),
        ]
    ).splitlines()[2:]
    second = "| a | intercept | openai_chat | `prompt_cache_key`, `x-session-id` | 0 | yes | 0 of 1 cases | more: "
    assert rows == [
        "| a | base URL | openai_chat | `x-session-id` | 0 | yes | 1 of 1 cases |  |",
        f"{second}`prompt_cache_key` |",
        "| b | | | | | | not run: npm is not installed | |",
    ]
