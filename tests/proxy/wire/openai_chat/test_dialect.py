from __future__ import annotations

from proxy.wire.body_secrets import BodySecrets
from proxy.wire.secret_paths import REDACTED
from tests.support.chat import a_call, a_request, asks, user


def test_persons_and_keys_are_redacted_and_the_conversation_is_not() -> None:
    body = a_request(
        user("my password is in the file"),
        asks(a_call("login", password="hunter2")),
        user="jane@example.com",
        safety_identifier="abc",
        prompt_cache_key="session-1",
        metadata={"session": "s", "api_key": "k"},
        tools=[{"type": "mcp", "authorization": "t", "headers": {"x": "t"}}],
    )
    redacted = BodySecrets().redact_body("openai_chat", body)
    assert redacted["messages"] == body["messages"]
    assert (redacted["user"], redacted["safety_identifier"]) == (REDACTED, REDACTED)
    assert redacted["prompt_cache_key"] == "session-1"
    assert redacted["metadata"] == {"session": "s", "api_key": REDACTED}
    assert redacted["tools"] == [{"type": "mcp", "authorization": REDACTED, "headers": {"x": REDACTED}}]


def test_a_reply_keeps_what_the_model_said() -> None:
    reply = {"choices": [{"message": {"content": "x", "password": "a field of the conversation"}}]}
    assert BodySecrets().redact_body("openai_chat", reply) == reply
