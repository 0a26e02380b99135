"""The last request of each caller, so that what a client sends again is not read again. Nothing depends on it."""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

from proxy.model.exchange import Exchange
from proxy.model.messages import Request
from proxy.sessions.identity import SESSION_HEADER
from proxy.sessions.normalise import PerMessage, Unit, flat, units_by_message
from proxy.sessions.signals import CALLER_HEADERS

CALLERS = 16
"""Callers whose last request is kept, each with a history of up to some megabytes."""


class _Last(NamedTuple):
    request: Request
    per_message: PerMessage
    units: list[Unit]
    """The same in one list."""


class Recall:
    """Bounded; the caller that was silent for longest is forgotten first."""

    def __init__(self) -> None:
        self._last: OrderedDict[tuple[str | None, ...], _Last] = OrderedDict()

    def request(self, exchange: Exchange) -> Request | None:
        """The caller's last request."""
        last = self._last.get(_caller(exchange))
        return last.request if last else None

    def units(self, exchange: Exchange, request: Request) -> list[Unit]:
        """The request's history as it counts for matching; the request is the caller's last from now on."""
        caller = _caller(exchange)
        last = self._last[caller] = _follow(self._last.pop(caller, _Last(request, [], [])), request)
        if len(self._last) > CALLERS:
            self._last.popitem(last=False)
        return last.units


def _follow(former: _Last, request: Request) -> _Last:
    """The usual request is the former one with more behind it: nothing is looked at but what is new."""
    messages, known = request.messages, len(former.per_message)
    if messages[:known] == former.request.messages[:known]:
        new = units_by_message(messages[known:], [])
        return _Last(request, [*former.per_message, *new], [*former.units, *flat(new)])
    found = units_by_message(messages, former.per_message)
    return _Last(request, found, flat(found))


def _caller(exchange: Exchange) -> tuple[str | None, ...]:
    return (exchange.tag, *map(exchange.header, (SESSION_HEADER, *CALLER_HEADERS)))
