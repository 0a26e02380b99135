from __future__ import annotations

import copy
import re
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.errors import InputError
from proxy.wire.body_secrets import BodySecrets
from proxy.wire.json_values import read_json
from proxy.wire.secret_paths import REDACTED, address

CANARY = "canary-5e5a1f0e"
DIALECT = "anthropic_messages"
BODY: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "fallback_credit_token": CANARY,
    "metadata": {"user_id": orjson.dumps({"device_id": CANARY, "account_uuid": CANARY, "session_id": "s-1"}).decode()},
    "mcp_servers": [
        {"name": "a", "url": f"https://u:{CANARY}@host:8443/mcp?key={CANARY}#{CANARY}", "authorization_token": CANARY},
        {"name": "b", "url": "https://host/mcp", "headers": {"X-Own": CANARY, "nested": {"deep": CANARY}}},
    ],
    "tools": [
        {
            "name": "fetch",
            "headers": {"Whatever": CANARY},
            "server": {"Authorization": f"Basic {CANARY}", "options": [{"api-key": CANARY}]},
            "input_schema": {
                "type": "object",
                "properties": {"password": {"type": "string"}},
                "required": ["password"],
            },
        }
    ],
    "container": {"env": {"AWS_SECRET_ACCESS_KEY": CANARY, "HOME": "/root"}},
    "messages": [{"role": "user", "content": [{"type": "text", "text": f"key sk-ant-api03-{CANARY} and password: x"}]}],
}


def redact(body: object, *patterns: str) -> Any:
    return BodySecrets(patterns).redact_body(DIALECT, body)


def test_no_secret_of_a_request_is_left() -> None:
    redacted = redact(BODY)
    assert CANARY not in orjson.dumps(redacted).decode()
    assert redacted["mcp_servers"][0]["url"] == f"https://host:8443/mcp?{REDACTED}"


def test_what_is_no_secret_stays() -> None:
    redacted = redact(BODY)
    assert redacted["model"] == BODY["model"]
    assert redacted["mcp_servers"][1]["url"] == "https://host/mcp"
    assert redacted["tools"][0]["input_schema"] is BODY["tools"][0]["input_schema"]
    assert redacted["container"]["env"]["HOME"] == "/root"
    assert redacted["messages"][0]["content"][0]["text"] == f"key {REDACTED} and password: x"


def test_the_body_itself_is_not_changed() -> None:
    before = copy.deepcopy(BODY)
    redact(BODY)
    assert before == BODY


def test_a_body_without_secrets_is_the_same_object() -> None:
    body = {"messages": [{"role": "user", "content": "x"}], "tools": [{"name": "a"}], "n": [1, None, True]}
    assert redact(body) is body


LEGACY = "session_01234567-89ab-cdef-0123-456789abcdef"


@pytest.mark.parametrize(
    ("user_id", "kept"),
    [
        ('{"device_id":"d","account_uuid":"a","session_id":"s-1"}', '{"session_id":"s-1"}'),
        ('{"device_id":"d"}', "{}"),
        ('{"session_id":4}', "{}"),
        (f"user_abc_account_def_{LEGACY}", LEGACY),
        ("someone@example.com", REDACTED),
        ("", REDACTED),
    ],
)  # fmt: skip
def test_of_a_user_id_only_the_session_stays(user_id: str, kept: str) -> None:
    assert redact({"metadata": {"user_id": user_id}}) == {"metadata": {"user_id": kept}}


def test_a_secret_of_another_type_goes_too() -> None:
    assert redact({"fallback_credit_token": {"a": CANARY}}) == {"fallback_credit_token": REDACTED}
    assert redact({"fallback_credit_token": None}) == {"fallback_credit_token": None}


def test_secrets_of_a_reply_go() -> None:
    reply = {"content": [], "stop_details": {"type": "refusal", "fallback_credit_token": CANARY}}
    assert redact(reply)["stop_details"] == {"type": "refusal", "fallback_credit_token": REDACTED}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("nothing here", "nothing here"),
        ("curl -H 'Authorization: Bearer abcdefghijklmnop.qr-st_uv=='", f"curl -H 'Authorization: Bearer {REDACTED}'"),
        ("x-api-key: sk-ant-api03-abcd_EFGH-1234", f"x-api-key: {REDACTED}"),
        ("bearer of news", "bearer of news"),
        ('{"authorization_token": "abc", "b": 1}', '{"authorization_token": "[redacted]", "b": 1}'),
        (r"{\"fallback_credit_token\":\"abc\",\"b\":1}", r"{\"fallback_credit_token\":\"[redacted]\",\"b\":1}"),
    ],
)
def test_credentials_in_any_text_go(text: str, left: str) -> None:
    assert BodySecrets().redact_text(text) == left


def test_a_whole_body_as_text_loses_the_secrets_that_stand_by_name() -> None:
    body = orjson.dumps({"mcp_servers": [{"authorization_token": CANARY}], "fallback_credit_token": CANARY}).decode()
    assert CANARY not in BodySecrets().redact_text(body)


def test_the_users_patterns_reach_every_text() -> None:
    body = {"messages": [{"content": "ID-1234 stays, PAT-99 goes"}], "metadata": {"note": "PAT-7"}}
    assert redact(body, r"PAT-\d+", r"ID-9") == {
        "messages": [{"content": f"ID-1234 stays, {REDACTED} goes"}],
        "metadata": {"note": REDACTED},
    }


@pytest.mark.parametrize("pattern", ["(", "a*", "", "x|"])
def test_a_pattern_that_cannot_work_is_refused_by_its_place(pattern: str) -> None:
    with pytest.raises(InputError, match=re.escape("settings: secret pattern 2: found ")):
        BodySecrets(["ok", pattern])


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("https://host/path", "https://host/path"),
        ("https://host/path?key=1", f"https://host/path?{REDACTED}"),
        ("https://user:pass@host:99/p", f"https://host:99/p?{REDACTED}"),
        ("https://host:port/", REDACTED),
        ("https://[::1/", REDACTED),
        ("not a url", REDACTED),
    ],
)
def test_of_an_address_the_place_stays(url: str, left: str) -> None:
    assert address(url) == left


def test_other_dialects_lose_names_and_patterns_alike() -> None:
    body = {"metadata": {"api_key": CANARY}, "input": "sk-ant-api03-aaaaaaaaaa"}
    assert BodySecrets().redact_body("of_the_future", body) == {"metadata": {"api_key": REDACTED}, "input": REDACTED}


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["tools", "headers", "mcp_servers", "url", "metadata", "user_id"]), inner)
        ),
        max_leaves=12,
    )
)
@settings(max_examples=150, deadline=None)
def test_no_body_is_a_crash_and_redacting_twice_changes_nothing(body: Any) -> None:
    once = redact(body)
    assert redact(once) == once


def test_the_deepest_readable_body_is_redacted() -> None:
    levels = 200
    body = read_json(b'{"a":' + b"[" * levels + b'"sk-ant-api03-' + CANARY.encode() + b'"' + b"]" * levels + b"}")
    assert CANARY not in orjson.dumps(redact(body)).decode()
