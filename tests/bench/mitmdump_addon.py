"""Addon for mitmdump: stream both directions, as mitmproxy does not by default."""

from __future__ import annotations

from typing import Any


def requestheaders(flow: Any) -> None:
    """Do not hold the request's body."""
    flow.request.stream = True


def responseheaders(flow: Any) -> None:
    """Do not hold the response's body."""
    flow.response.stream = True
