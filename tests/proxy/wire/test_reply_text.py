"""A reply as it is kept: decoded, clean, and the very bytes where nothing had to go."""

from __future__ import annotations

import gzip
from functools import partial

import orjson
import pytest

from proxy.wire.body_secrets import BodySecrets
from proxy.wire.reply_text import kept_reply

CLEAN = partial(BodySecrets().redact_body, "openai_responses")
CANARY = "canary-2b7e"
ECHO = {"id": "r", "user": CANARY, "tools": [{"type": "mcp", "headers": {"any": CANARY}}], "output": []}
PLAIN = {"id": "r", "output": [{"type": "message", "content": "words"}]}


def stream(*payloads: object, name: str = "") -> bytes:
    head = f"event: {name}\n".encode() if name else b""
    return b"".join(head + b"data: " + orjson.dumps(payload) + b"\n\n" for payload in payloads)


@pytest.mark.parametrize(
    "body",
    [orjson.dumps(PLAIN, option=orjson.OPT_INDENT_2), stream({"type": "x", "response": PLAIN}, name="x"), b""],
    ids=["document", "stream", "empty"],
)
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_what_has_no_secret_is_kept_byte_for_byte(body: bytes, coding: str) -> None:
    sent = gzip.compress(body) if coding else body
    assert kept_reply(sent, (("content-encoding", coding),), CLEAN) == body


@pytest.mark.parametrize(
    "body",
    [
        orjson.dumps(ECHO),
        orjson.dumps([ECHO, PLAIN]),
        stream({"type": "response.created", "response": ECHO}, {"type": "x"}),
        stream(ECHO, name="x").replace(b":[{", b":[\r\ndata: {"),
        stream(ECHO)[:-1],
        b"data: " + orjson.dumps(ECHO)[:-1] + b"\n\n",
        orjson.dumps(ECHO)[:-1],
        stream(ECHO).replace(b'"id":"r"', b'"id":"\xff"'),
    ],
    ids=["document", "array", "event", "several lines", "unended", "no JSON", "cut", "no UTF-8"],
)
@pytest.mark.parametrize("coding", ["", "gzip"])
def test_what_the_request_configured_does_not_come_back_in_what_is_kept(body: bytes, coding: str) -> None:
    sent = gzip.compress(body) if coding else body
    assert CANARY.encode() not in kept_reply(sent, (("content-encoding", coding),), CLEAN)


def test_what_cannot_be_decoded_is_not_kept() -> None:
    assert kept_reply(b"sk-" + CANARY.encode(), (("content-encoding", "rot13"),), CLEAN) == b""


def test_around_a_secret_the_other_events_stay() -> None:
    kept = kept_reply(stream({"type": "a", "n": 1}, ECHO, {"type": "b"}, name="e") + b"data: [DONE]\n\n", (), CLEAN)
    assert kept.startswith(b'event: e\ndata: {"type":"a","n":1}\n\n')
    assert kept.endswith(b'event: e\ndata: {"type":"b"}\n\ndata: [DONE]\n\n')
