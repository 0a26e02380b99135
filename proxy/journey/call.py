"""One model call as the steps of the journey hand it on."""

from __future__ import annotations

from typing import NamedTuple

from proxy.model.exchange import Exchange
from proxy.model.messages import Reply, Request
from proxy.sessions.identity import Identity
from proxy.sessions.normalise import Unit
from proxy.sessions.placement import Placement


class Call(NamedTuple):
    """One model call, read and placed."""

    exchange: Exchange
    request: Request
    reply: Reply
    identity: Identity
    placement: Placement
    units: list[Unit]
    """The request's history as it counts for matching."""
    summary_trigger: str | None
    """`manual`, `auto` or `` when the call asks for a summary of its own history; None when it does not."""
