"""Whose call it is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model.messages import Request
from proxy.sessions.identity import Identity, identify
from proxy.sessions.normalise import units
from proxy.wire.anthropic_messages.request import read_request
from tests.support.journey import Client, Driver, text

UUID = "11111111-2222-3333-4444-555555555555"


def who(headers: dict[str, str], tag: str = "", metadata: Any = None) -> Identity | None:
    client = Client(Driver())
    client.headers = headers
    exchange = client.exchange([text("done")], body={"metadata": metadata})
    request = read_request(exchange.request_body, ())
    assert isinstance(request, Request)
    return identify(replace(exchange, tag=tag), request, units(request.messages), lambda signs: {})


@pytest.mark.parametrize(
    ("headers", "tag", "kind"),
    [
        ({"x-compaction-session": "a", "x-claude-code-session-id": "b"}, "", "header"),
        ({"X-Claude-Code-Session-Id": "b"}, "", "client"),
        ({"x-session-id": "b"}, "t", "tag+client"),
        ({}, "t", "tag"),
    ],
)
def test_the_best_signal_names_the_session(headers: dict[str, str], tag: str, kind: str) -> None:
    found = who(headers, tag)
    assert found is not None
    assert (found.key_kind, found.run) == (kind, tag or None)


def test_both_forms_of_metadata_name_the_session_that_the_header_names() -> None:
    by_header = who({"x-claude-code-session-id": UUID})
    as_json = who({}, metadata={"user_id": orjson.dumps({"session_id": UUID}).decode()})
    as_words = who({}, metadata={"user_id": f"user_0a1b_account_{UUID}_session_{UUID}"})
    assert by_header is not None
    assert as_json is not None
    assert as_words is not None
    assert by_header.session == as_json.session == as_words.session


@pytest.mark.parametrize("metadata", [None, 5, [], {"user_id": 5}, {"user_id": "{"}, {"user_id": "[[[[1]]]]"},
                                      {"user_id": '{"session_id": 7}'}, {"user_id": ""}])  # fmt: skip
def test_what_names_nothing_begins_a_session_of_its_own(metadata: Any) -> None:
    found = who({"x-session-id": ""}, metadata=metadata)
    assert found is not None
    assert found.key_kind == "fingerprint"


def test_a_tag_and_a_session_cannot_be_moved_into_each_other() -> None:
    one, other = who({"x-session-id": "b"}, "a"), who({"x-session-id": "ab"})
    assert one is not None
    assert other is not None
    assert one.session != other.session


@given(st.text(st.characters(), min_size=1), st.text(st.characters()))
def test_any_header_value_gives_text_that_can_be_written(session: str, word: str) -> None:
    found = who({"x-session-id": session, "x-claude-code-agent-id": word, "user-agent": f"claude-cli/{word}"})
    assert found is not None
    assert len(found.session) == 32
    f"{found.agent}{found.client.version}".encode()


@pytest.mark.parametrize(
    ("agent", "name", "version"),
    [
        ("claude-cli/2.1.332 (external, sdk-cli)", "claude-code", "2.1.332"),
        ("codex_exec/0.171.0 (Debian 12.0.0; x86_64) dumb (codex_exec; 0.171.0)", "codex", "0.171.0"),
        ("opencode/1.18.33 ai-sdk/provider-utils/4.0.46 runtime/bun/1.3.14", "opencode", "1.18.33"),
        ("GeminiCLI-tui/0.61.0/gemini-2.5-pro (linux; x64; terminal)", "gemini-cli", "0.61.0"),
        ("ai-sdk/openai-compatible/3.0.37 ai-sdk/provider-utils/5.0.30 runtime/bun/1.3.13", "ai-sdk", "3.0.37"),
        ("Agents/Python 0.24.0", "agents-sdk", "0.24.0"),
        ("pydantic-ai/2.68.0", "pydantic-ai", "2.68.0"),
        ("langchain-anthropic/1.7.10", "langchain", "1.7.10"),
        ("OpenAI/Python 3.57.0", "openai-sdk", "3.57.0"),
        ("curl/8.5.0", "", ""),
    ],
)
def test_a_client_is_known_by_what_it_sends_as_user_agent(agent: str, name: str, version: str) -> None:
    found = who({"user-agent": agent})
    assert found is not None
    assert (found.client.name, found.client.version) == (name, version)
