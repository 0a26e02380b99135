"""The user's own labels of a session (`[labels]`), from headers that are meant for us alone."""

from __future__ import annotations

import re
from collections.abc import Mapping

from proxy.model.exchange import Exchange
from proxy.sessions.identity import client_of

CLIENT = "client"
"""A source: the name of the agent program."""
HEADER = "header:"
"""Begins a source: a request header of ours, which no provider sees."""
STRANGE = "other"
"""What a value is called that is no short plain text: it may be anything, and is never kept."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+ -]{0,63}")


def labels_of(exchange: Exchange, sources: Mapping[str, str]) -> dict[str, str]:
    """Label to value, in the order of their names; those that the exchange says nothing of are left out.

    Args:
        exchange: Whose request headers and client are looked at.
        sources: Label to `client` or `header:NAME`.
    """
    said = {name: _value(exchange, source) for name, source in sorted(sources.items())}
    return {name: value if _PLAIN.fullmatch(value) else STRANGE for name, value in said.items() if value}


def _value(exchange: Exchange, source: str) -> str:
    if source == CLIENT:
        return client_of(exchange).name
    return (exchange.header(source.removeprefix(HEADER)) or "").strip()
