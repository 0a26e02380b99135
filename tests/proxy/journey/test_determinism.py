"""The same exchanges give the same facts: twice, among others, with and without memory of the last request."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journey import Observed
from proxy.model.exchange import Exchange
from proxy.model.ids import ExchangeId, SessionId
from proxy.sessions.state import SessionState
from tests.support.journey import Driver, a_journey
from tests.support.mangle import mangled
from tests.support.sessions import SESSION

OTHER = [
    replace(
        exchange,
        id=ExchangeId("o" * 32, exchange.id.number),
        request_headers=(*exchange.request_headers, ("x-compaction-session", "another")),
    )
    for exchange in SESSION
]


def alone(exchanges: list[Exchange]) -> list[Observed]:
    driver = Driver()
    return [driver.observe(exchange) for exchange in exchanges]


EXPECTED = alone(SESSION)


def test_the_same_session_twice_is_the_same_byte_for_byte() -> None:
    assert alone(SESSION) == EXPECTED


@settings(max_examples=25, deadline=None)
@given(st.lists(st.booleans(), min_size=len(SESSION) * 2, max_size=len(SESSION) * 2), st.booleans())
def test_another_session_in_between_changes_nothing(turns: list[bool], forgetful: bool) -> None:
    driver, rest, mine = Driver(), list(OTHER), list(SESSION)
    found = []
    for is_mine in turns:
        if mine and (is_mine or not rest):
            if forgetful:
                driver.restart()
            found.append(driver.observe(mine.pop(0)))
        elif rest:
            driver.observe(rest.pop(0))
    assert found + [driver.observe(exchange) for exchange in mine] == EXPECTED


@settings(max_examples=25, deadline=None)
@given(st.tuples(*map(mangled, SESSION)), st.lists(st.booleans(), min_size=len(SESSION), max_size=len(SESSION)))
def test_a_journey_that_remembers_says_what_one_that_does_not_says(
    exchanges: tuple[Exchange, ...], restarts: list[bool]
) -> None:
    """A remembering journey, one that starts anew at some exchanges, and a state that is never reloaded."""
    steady, restarted = Driver(), Driver()
    kept = a_journey(find=steady.run.sessions_of)
    states: dict[SessionId, SessionState] = {}
    for exchange, restart in zip(exchanges, restarts, strict=True):
        if restart:
            restarted.restart()
        session = kept.session_of(exchange)
        state = states.setdefault(session, kept.load(session, {})) if session else None
        observed = kept.observe(exchange, state)
        assert observed == steady.observe(exchange) == restarted.observe(exchange)
