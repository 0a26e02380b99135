from __future__ import annotations

import pytest

from proxy.relay.redaction import (
    REDACTED,
    SECRET_HEADERS,
    is_secret_name,
    names_a_credential,
    redact_target,
    redact_text,
    redacted_headers,
)


@pytest.mark.parametrize("name", sorted(SECRET_HEADERS))
def test_values_of_known_credentials_are_not_shown(name: str) -> None:
    assert redacted_headers([f"{name.title()}: canary".encode()]) == ((name.title(), REDACTED),)


@pytest.mark.parametrize(
    "name",
    ["x-auth-token", "my-secret", "x-corp-api-key", "x-apikey", "session-token", "x-password", "x-jwt", "x-signature",
     "x-access-key", "x-sessionkey", "vault-credential", "x-bearer", "x-secret-max-tokens", "authorisation-key",
     "x-token", "helicone-auth"],
)  # fmt: skip
def test_names_nobody_has_heard_of_are_taken_for_secret_when_they_sound_so(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    ["anthropic-version", "anthropic-beta", "x-claude-code-session-id", "x-claude-code-agent-id", "user-agent",
     "anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-input-tokens-reset", "x-ratelimit-limit-tokens",
     "request-id", "retry-after", "x-stainless-retry-count", "content-type", "www-authenticate", "idempotency-key",
     "x-max-tokens", "sec-websocket-key", "session-id", "x-compaction-session", "x-monkey", "openai-organization"],
)  # fmt: skip
def test_what_the_observer_needs_stays_readable(name: str) -> None:
    assert not is_secret_name(name)


def test_headers_keep_order_case_and_number() -> None:
    lines = [b"B: 1", b"b:  2\t", b"A:", b"B: 1", b"X: caf\xe9"]
    assert redacted_headers(lines) == (("B", "1"), ("b", "2"), ("A", ""), ("B", "1"), ("X", "caf\u00e9"))


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (b"/v1/messages?beta=true", "/v1/messages?beta=true"),
        (b"/m?key=canary", f"/m?key={REDACTED}"),
        (b"/m?a=1&%6Bey=canary&b=2", f"/m?a=1&%6Bey={REDACTED}&b=2"),
        (b"/m?API_KEY=canary;access_token=canary#x", f"/m?API_KEY={REDACTED};access_token={REDACTED}#x"),
        (b"/m?X-Amz-Signature=canary&X-Amz-Date=1", f"/m?X-Amz-Signature={REDACTED}&X-Amz-Date=1"),
        (b"/m?page_token=abc&max_tokens=5&token=", "/m?page_token=abc&max_tokens=5&token="),
        (b"/bot/sk-ant-canary0123/x", f"/bot/{REDACTED}/x"),
        (b"/run/canary-tag/v1?x", f"/run/{REDACTED}/v1?x"),
        (b"/v1/run/17", "/v1/run/17"),
    ],
)
def test_a_target_is_shown_without_the_secrets_of_its_query(target: bytes, shown: str) -> None:
    assert redact_target(target) == shown


@pytest.mark.parametrize(
    "text",
    ["x sk-ant-api03-canary y", "sk-proj-canary123", "Bearer canary", "basic canary", "AIzacanarycanarycanarycanary",
     "ghp_canarycanarycanarycanary", "eyJcanary.canary1.x", "https://user:canary@host/", "https://h/?token=canary",
     "http://127.0.0.1:8765/run/canary/v1/messages", "xoxb-canarycanary", "AKIACANARYCANARY"],
)  # fmt: skip
def test_keys_of_well_known_shape_are_found_in_any_value(text: str) -> None:
    shown = redacted_headers([b"X-Note: " + text.encode()])[0][1]
    assert "canary" not in shown.lower()
    assert REDACTED in shown


def test_harmless_text_stays_as_it_is() -> None:
    for text in ("application/json", "claude-cli/2.1.332 (external, sdk-cli)", "a=b", "risk-assessment", "Bearer"):
        assert redact_text(text) == text


def test_a_connection_list_may_not_name_a_credential() -> None:
    assert names_a_credential(("close", "x-api-key"))
    assert names_a_credential(("x-unheard-of-token",))
    assert not names_a_credential(("keep-alive", "upgrade", "te"))
