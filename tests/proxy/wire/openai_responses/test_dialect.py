from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.wire.body_secrets import BodySecrets
from proxy.wire.openai_responses.dialect import turn_only
from proxy.wire.secret_paths import REDACTED

CANARY = "canary-5e5a1f0e"
TURN = {"request_kind": "compaction", "window_number": 2, "turn_id": "t", "agent_name": "/root", "session_id": "s"}
MCP = {
    "type": "mcp",
    "server_label": "files",
    "server_url": f"https://u:{CANARY}@host/mcp?key={CANARY}",
    "authorization": CANARY,
    "headers": {"X-Own": CANARY},
}
SECRETS = {"network_policy": {"domain_secrets": [{"domain": "a.example", "name": "N", "value": CANARY}]}}
BODY: dict[str, Any] = {
    "model": "gpt-6-astra",
    "safety_identifier": CANARY,
    "user": CANARY,
    "tools": [
        MCP,
        {"type": "code_interpreter", "container": {"type": "auto"} | SECRETS},
        {"type": "shell", "environment": {"type": "container_auto"} | SECRETS},
    ],
    "client_metadata": {
        "session_id": "s-1",
        "thread_id": "t-1",
        "x-codex-window-id": "s-1:0",
        "x-codex-installation-id": CANARY,
        "x-codex-turn-metadata": orjson.dumps(TURN | {"workspaces": {f"/home/{CANARY}": {}}}).decode(),
    },
    "input": [
        {"type": "additional_tools", "role": "developer", "tools": [MCP]},
        {"role": "user", "content": "my password: x"},
        {"type": "shell_call", "call_id": "c", "action": {"env": {"password": "what the agent wrote"}}},
    ],
}


def redact(body: object) -> Any:
    return BodySecrets().redact_body("openai_responses", body)


def test_no_secret_of_a_request_is_left() -> None:
    assert CANARY not in orjson.dumps(redact(BODY)).decode()


def test_ids_of_sessions_and_what_was_said_stay() -> None:
    redacted = redact(BODY)
    kept = redacted["client_metadata"]
    assert (kept["session_id"], kept["thread_id"], kept["x-codex-window-id"]) == ("s-1", "t-1", "s-1:0")
    assert orjson.loads(kept["x-codex-turn-metadata"]) == TURN
    assert redacted["input"][1:] == BODY["input"][1:]


@pytest.mark.parametrize(
    ("metadata", "kept"),
    [
        ('{"turn_id": "t",  "window_number": 1}', '{"turn_id": "t",  "window_number": 1}'),
        ('{"turn_id": "t", "sandbox": "x"}', '{"turn_id":"t"}'),
        ("not json", REDACTED),
        ("[]", REDACTED),
        ("\ud800", REDACTED),
    ],
)
def test_of_a_turns_metadata_stays_which_turn_it_is(metadata: str, kept: str) -> None:
    assert turn_only(metadata) == kept


@pytest.mark.parametrize("key", ["sk-proj-0123456789abcdefXYZ_-", "sk-svcacct-0123456789abcdef", "sk-" + "a1" * 24])
def test_the_providers_keys_are_removed_from_any_text(key: str) -> None:
    assert BodySecrets().redact_text(f"OPENAI_API_KEY={key}; ok") == f"OPENAI_API_KEY={REDACTED}; ok"
    assert BodySecrets().redact_text("a task-list, sk-learn, risk-1") == "a task-list, sk-learn, risk-1"


def test_the_answer_repeats_the_persons_identifier_and_loses_it() -> None:
    body = orjson.dumps(
        {"type": "response.created", "response": {"id": "resp_1", "safety_identifier": CANARY}}
    ).decode()
    assert BodySecrets().redact_text(body) == body.replace(CANARY, REDACTED)
