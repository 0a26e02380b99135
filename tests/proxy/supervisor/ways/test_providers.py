"""What clients of other providers are told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.supervisor.ways.base_url import Route
from proxy.supervisor.ways.providers import base_urls, codex_upstream

RUN = "http://127.0.0.1:1/run/s3cret"
UPSTREAMS = {
    "anthropic": "https://api.anthropic.com",
    "openai": "https://api.openai.com",
    "gemini": "https://generativelanguage.googleapis.com",
    "chatgpt": "https://chatgpt.com/backend-api/codex",
    "corp": "https://gate.corp/openai",
}
ROUTE = Route(
    relay_url="http://127.0.0.1:1",
    tag="s3cret",
    upstream="",
    upstream_url=UPSTREAMS["anthropic"],
    upstreams=UPSTREAMS,
)


def test_a_client_of_another_provider_finds_its_upstream_behind_the_relay() -> None:
    assert dict(base_urls(UPSTREAMS, RUN, {})) == {
        "OPENAI_BASE_URL": f"{RUN}/openai/v1",
        "OPENAI_API_BASE": f"{RUN}/openai/v1",
        "GOOGLE_GEMINI_BASE_URL": f"{RUN}/gemini",
    }
    assert ROUTE.variables({})["OPENAI_BASE_URL"] == f"{RUN}/openai/v1"


def test_a_gateway_of_the_users_is_relayed_to_when_it_is_an_upstream_and_else_left_alone() -> None:
    held = {"OPENAI_BASE_URL": "https://gate.corp/openai/v1/", "OPENAI_API_BASE": "https://other.corp/v1"}
    given = dict(base_urls(UPSTREAMS, RUN, held))
    assert given["OPENAI_BASE_URL"] == f"{RUN}/corp/v1"
    assert "OPENAI_API_BASE" not in given


def test_nothing_is_told_of_an_upstream_that_is_not_there() -> None:
    assert dict(base_urls({"anthropic": UPSTREAMS["anthropic"]}, RUN, {})) == {}


def test_codex_is_told_by_an_option_and_nobody_else_is(tmp_path: Path) -> None:
    key = {"CODEX_API_KEY": "sk"}
    given = ROUTE.command(("/usr/bin/codex", "exec", "go"), key, tmp_path)
    assert given == ("/usr/bin/codex", "-c", f'openai_base_url="{RUN}/openai/v1"', "exec", "go")
    for command in (("claude", "-p", "go"), ("codex", "-c", "openai_base_url='x'", "exec")):
        assert ROUTE.command(command, key, tmp_path) == command
    assert "s3cret" not in "".join(ROUTE.notes(key, "codex"))
    assert "-c openai_base_url" in "".join(ROUTE.notes(key, "codex"))


@pytest.mark.parametrize(
    ("auth", "environment", "upstream"),
    [
        (None, {}, "openai"),
        ("{", {}, "openai"),
        ({"OPENAI_API_KEY": None, "tokens": {"access_token": "t"}}, {}, "chatgpt"),
        ({"OPENAI_API_KEY": "sk", "tokens": {"access_token": "t"}}, {}, "openai"),
        ({"tokens": {"access_token": "t"}}, {"OPENAI_API_KEY": "sk"}, "openai"),
    ],
)
def test_a_login_speaks_to_chatgpt_and_a_key_to_the_api(
    tmp_path: Path, auth: object, environment: dict[str, str], upstream: str
) -> None:
    if auth is not None:
        (tmp_path / ".codex").mkdir()
        (tmp_path / ".codex/auth.json").write_text(auth if isinstance(auth, str) else json.dumps(auth))
    assert codex_upstream(environment, tmp_path) == upstream
    suffix = "/v1" if upstream == "openai" else ""
    assert ROUTE.command(("codex",), environment, tmp_path)[-1] == f'openai_base_url="{RUN}/{upstream}{suffix}"'
