from __future__ import annotations

from dataclasses import replace

import pytest

from proxy.supervisor.ways.base_url import Route

ROUTE = Route(relay_url="http://127.0.0.1:1", tag="s3cret", upstream="", upstream_url="https://api.anthropic.com")


def test_the_child_is_told_the_base_url_with_the_runs_secret_and_asked_for_hints() -> None:
    assert ROUTE.variables({}) == {
        "ANTHROPIC_BASE_URL": "http://127.0.0.1:1/run/s3cret",
        "CLAUDE_CODE_GATEWAY_HINT_HEADERS": "1",
        "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "1",
        "ENABLE_TOOL_SEARCH": "true",
    }


@pytest.mark.parametrize(
    "url",
    [
        "https://litellm.corp/anthropic",
        "http://api.anthropic.com",
        "https://api.anthropic.com:8443",
        "https://api.anthropic.com/path",
        "https://api.anthropic.com.evil.example",
        "https://evil.example/api.anthropic.com",
        "https://api.anthropic.com@evil.example",
    ],
)
def test_a_client_is_told_first_party_only_when_that_is_true(url: str) -> None:
    given = replace(ROUTE, upstream_url=url).variables({})
    assert "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL" not in given
    assert "ENABLE_TOOL_SEARCH" not in given


def test_what_the_user_has_set_stays_but_for_the_base_url() -> None:
    held = {
        "ANTHROPIC_BASE_URL": "https://api.anthropic.com",
        "CLAUDE_CODE_GATEWAY_HINT_HEADERS": "0",
        "_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "0",
        "ENABLE_TOOL_SEARCH": "false",
    }
    assert ROUTE.variables(held) == {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1/run/s3cret"}


def test_another_upstream_than_the_default_one_stands_in_the_address() -> None:
    route = replace(ROUTE, upstream="corp")
    assert route.variables({})["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:1/run/s3cret/corp"


def test_a_relays_token_is_added_to_the_users_own_headers() -> None:
    route = replace(ROUTE, token="t" * 16)
    assert route.variables({"ANTHROPIC_CUSTOM_HEADERS": "x-team: a"})["ANTHROPIC_CUSTOM_HEADERS"] == (
        f"x-team: a\nx-compaction-token: {'t' * 16}"
    )


def test_a_client_behind_a_proxy_is_told_not_to_ask_it_for_loopback() -> None:
    given = ROUTE.variables({"HTTPS_PROXY": "http://squid:1", "NO_PROXY": "corp, 127.0.0.1"})
    assert given["NO_PROXY"] == given["no_proxy"] == "corp,127.0.0.1,localhost,::1"
    assert "NO_PROXY" not in ROUTE.variables({"NO_PROXY": "corp"})


def test_the_notes_say_what_is_set_and_what_the_client_loses_and_never_the_secret() -> None:
    kept = list(ROUTE.notes({}, "/usr/bin/claude"))
    names = "ANTHROPIC_BASE_URL, CLAUDE_CODE_GATEWAY_HINT_HEADERS, ENABLE_TOOL_SEARCH"
    assert kept == [
        "http://127.0.0.1:1 → https://api.anthropic.com · nothing is edited, keys never reach a disk",
        f"set for this command only: {names}, _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL",
        "behind a base URL Claude Code switches Remote Control off (reported since 2.1.196)",
        "1M window and tool search are kept: the upstream is api.anthropic.com, and the client is told so",
    ]
    lost = "\n".join(replace(ROUTE, upstream_url="https://litellm.corp").notes({}, "claude"))
    assert "2.1.197 sends all tool definitions up front (2.1.332 does not)" in lost
    assert "s3cret" not in lost + "".join(kept)
    assert "left as you set it" in "".join(ROUTE.notes({"_CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL": "0"}, "claude"))


def test_other_commands_get_no_notes_about_claude_code() -> None:
    assert len(list(ROUTE.notes({}, "python"))) == 2


def test_the_first_note_names_the_upstreams_the_command_may_reach() -> None:
    upstreams = {"anthropic": "https://a", "openai": "https://o", "chatgpt": "https://c", "gemini": "https://g"}
    route = replace(ROUTE, upstream_url="https://a", upstreams=upstreams)

    def named(command: str) -> list[str]:
        return next(iter(route.notes({}, command))).partition(" → ")[2].partition(" · ")[0].split(", ")

    assert named("claude") == ["https://a"]
    assert named("codex") == ["https://o", "https://c"]
    assert named("python") == ["https://a", "https://o", "https://c", "https://g"]
