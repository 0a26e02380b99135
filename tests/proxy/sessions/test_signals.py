"""What clients say of a call by themselves."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proxy.model.messages import Request
from proxy.sessions.signals import Hints, Signals, signals_of
from tests.support.journey import Client, Driver, text

TURN = json.dumps({"request_kind": "compaction", "compaction": {"trigger": "auto", "phase": "mid_turn"}})


def heard(client: str, headers: dict[str, str], **metadata: Any) -> Signals:
    exchange = Client(Driver()).exchange([text("done")])
    request = Request(
        dialect="openai_responses", model="m", stream=True, system=(), messages=(), tools=(), metadata=metadata
    )
    return signals_of(client, replace(exchange, request_headers=tuple(headers.items())), request)


def test_codex_is_heard_in_headers_and_on_a_socket_in_each_frame() -> None:
    headers = {"session-id": "s", "thread-id": "s", "x-codex-window-id": "s:0", "x-codex-turn-metadata": "{}"}
    assert heard("codex", headers) == Signals(session="s", hints=Hints(window="0"))
    frame = {"session_id": "s", "thread_id": "t", "x-codex-window-id": "s:2", "x-codex-turn-metadata": TURN}
    assert heard("codex", headers, client_metadata=frame) == Signals(
        session="s", agent="t", hints=Hints(summary="auto", request_class="compaction", window="2")
    )


def test_the_threads_of_one_codex_session_are_its_agents() -> None:
    headers = {"session-id": "s", "thread-id": "t", "x-codex-parent-thread-id": "s", "x-openai-subagent": "review"}
    assert heard("codex", headers) == Signals(
        session="s", agent="t", hints=Hints(agent_type="review", parent_agent="s")
    )


@pytest.mark.parametrize("told", ["", "{", "[1]", '"x"', '{"request_kind": 5, "compaction": []}'])
def test_turn_metadata_that_is_none_says_nothing(told: str) -> None:
    assert heard("codex", {"session-id": "s", "x-codex-turn-metadata": told}) == Signals(session="s")


@pytest.mark.parametrize("client", ["", "claude-code", "codex", "opencode"])
@pytest.mark.parametrize("header", ["x-session-id", "x-litellm-session-id", "session_id"])
def test_any_client_may_name_its_session_in_a_header(client: str, header: str) -> None:
    assert heard(client, {header: "s"}).session == "s"


def test_who_says_nothing_is_not_heard() -> None:
    assert heard("", {}) == Signals()
