from __future__ import annotations

import json

import pytest

from proxy.cli.rules.calls import arguments_by_call


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "Read", "input": {"path": "/a"}}]},
        {"type": "function_call", "call_id": "c", "name": "Read", "arguments": '{"path": "/a"}'},
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "Read", "arguments": '{"path": "/a"}'}}]},
    ],
)
def test_arguments_are_found_in_every_dialect_that_names_its_calls(message: dict[str, object]) -> None:
    assert arguments_by_call([json.dumps(message).encode()]) == {"c": {"path": "/a"}}


def test_what_cannot_be_read_is_passed_over() -> None:
    cut = b'{"type": "function_call", "call_id": "c", "arguments": "{\\"pa"}'
    listed = b'{"type": "function_call", "call_id": "c", "arguments": "[1]"}'
    assert arguments_by_call([b"event: ping\n", cut, listed, b"[" * 90 + b"]" * 90]) == {}
