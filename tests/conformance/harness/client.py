"""The client side: what an agent's requests look like on the wire."""

from __future__ import annotations

from collections.abc import Sequence

from tests.conformance.harness.messages import without

BODY = (
    b'{ "model":"claude-opus-5" ,\t"max_tokens" : 64,"stream":true , "temperature":1.0e0,\n'
    b' "messages":[{"role":"user","content":"caf\\u00e9 na\xc3\xafve \\ud83d\\ude00 \\/ end"}],'
    b'"x_unknown_key":{"b":1,"a":[ ]} , "x_unknown_key":-0 }\r\n'
)
"""JSON that no serialiser would write this way: spacing, escapes beside raw UTF-8, an unknown and doubled key."""

AGENT_LINES = (
    b"User-Agent: claude-cli/2.1.332 (external, cli)",
    b"Accept: application/json",
    b"anthropic-beta: context-management-2025-06-27",
    b"X-Stainless-Lang: js",
    b"x-stainless-Retry-Count: 0",
    b"X-Claude-Code-Session-Id: 4f1c0a52-7d1e-4a63-9d53-0f3c6c1e7b11",
    b"Authorization: Bearer sk-ant-oat01-conformance",
    b"anthropic-beta: interleaved-thinking-2025-05-14",
    b"X-Unknown-Thing: kept",
    b"x-app: cli",
    b"anthropic-version: 2023-06-01",
    b"content-type: application/json",
)
TARGET = b"/v1/messages?beta=true"


def end_to_end(lines: Sequence[bytes]) -> tuple[bytes, ...]:
    """The lines a proxy has to pass as they are: all but Host, whose value is its own, and Connection."""
    return without(lines, "host", "connection")
