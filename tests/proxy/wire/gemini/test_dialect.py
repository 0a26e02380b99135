from __future__ import annotations

from proxy.relay.redaction import redact_target
from proxy.wire.body_secrets import BodySecrets
from proxy.wire.secret_paths import REDACTED
from tests.support.gemini import a_call, a_response, model, user


def test_keys_in_tools_are_redacted_and_the_conversation_is_not() -> None:
    body = {
        "contents": [user("my password is in the file"), model(a_call("login", password="hunter2"))],
        "systemInstruction": {"parts": [{"text": "x"}], "password": "said"},
        "tools": [
            {"googleMaps": {"authConfig": {"apiKeyConfig": {"apiKeyString": "k"}}}},
            {"mcpServers": [{"streamableHttpTransport": {"url": "https://h/u", "headers": {"x": "k"}}}]},
        ],
    }
    redacted = BodySecrets().redact_body("gemini", body)
    assert redacted["contents"] == body["contents"]
    assert redacted["systemInstruction"] == body["systemInstruction"]
    assert redacted["tools"] == [
        {"googleMaps": {"authConfig": REDACTED}},
        {"mcpServers": [{"streamableHttpTransport": {"url": "https://h/u", "headers": {"x": REDACTED}}}]},
    ]


def test_a_key_of_google_is_removed_wherever_it_is_said() -> None:
    response = a_response({"text": "use AIza" + "b" * 35})
    [part] = BodySecrets().redact_body("gemini", response)["candidates"][0]["content"]["parts"]
    assert part["text"] == f"use {REDACTED}"


def test_the_key_in_the_query_never_leaves_the_relay() -> None:
    target = b"/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=abc"
    assert redact_target(target) == ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=[redacted]")
