"""The exchange that stands for a model call of which nobody saw the bytes: who called, and when."""

from __future__ import annotations

from proxy.model.exchange import Exchange, Headers, Outcome
from proxy.model.ids import ExchangeId
from proxy.model.messages import Tool

DOOR = "transcript"

TOLD_TOOLS = (Tool(name="tools are not told", schema_sha256=""),)
"""Stands for the tools that were offered: a transcript does not name them, and a call without any would be another
kind of call."""


def exchange(call: ExchangeId, headers: Headers, opened_us: int, ended_us: int) -> Exchange:
    """An exchange without bodies; its request and reply are given beside it."""
    return Exchange(
        id=call,
        opened_us=opened_us,
        upstream="",
        door=DOOR,
        tag="",
        method="POST",
        target="",
        request_headers=headers,
        request_body=b"",
        request_complete=True,
        request_lost=0,
        status=200,
        response_headers=(),
        response_body=b"",
        response_complete=True,
        response_lost=0,
        first_byte_us=None,
        duration_us=max(0, ended_us - opened_us),
        outcome=Outcome.COMPLETE,
    )
