from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.faces.identity import api_key, identity_of

CODEX: dict[str, Any] = {"client_metadata": {"session_id": "s", "thread_id": "t"}, "prompt_cache_key": "k"}


@pytest.mark.parametrize(
    ("headers", "document", "session", "agent"),
    [
        ({"x-claude-code-session-id": "s", "x-claude-code-agent-id": "a"}, {}, "s", "a"),
        ({"session-id": "s", "thread-id": "s"}, {}, "s", ""),
        ({"session-id": "s", "thread-id": "t"}, {}, "s", "t"),
        ({"x-session-id": "ses_1", "x-session-affinity": "ses_1"}, {}, "ses_1", ""),
        ({"x-litellm-session-id": "s"}, {}, "s", ""),
        ({}, CODEX, "s", "t"),
        ({}, {"metadata": {"user_id": '{"session_id": "s"}'}}, "s", ""),
        ({}, {"metadata": {"user_id": "{broken"}}, "", ""),
        ({}, {"conversation": {"id": "conv_1"}}, "conv_1", ""),
        ({}, {"conversation": "conv_1"}, "conv_1", ""),
        ({}, {"prompt_cache_key": "k"}, "k", ""),
        ({}, {"metadata": [], "client_metadata": 1}, "", ""),
    ],
)
def test_a_client_is_known_by_what_it_says_of_itself(
    headers: dict[str, str], document: dict[str, Any], session: str, agent: str
) -> None:
    assert identity_of(headers, document) == (session, agent)


@pytest.mark.parametrize("name", ["x-api-key", "x-goog-api-key", "authorization"])
def test_prompts_are_cached_under_any_key(name: str) -> None:
    assert api_key({name: "secret"}) == "secret"
