from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journey import Journey, Ports
from proxy.ledger.ledger import Instruments
from proxy.model.exchange import Exchange
from proxy.model.facts import SessionFact
from proxy.sessions.labels import labels_of
from tests.support.journey import Client, Driver, price, shipped_rules, text, words

TEAM = {"team": "header:x-compaction-team"}


def an_exchange(team: str | None = None, **headers: str) -> Exchange:
    said = headers if team is None else {"X-Compaction-Team": team}
    client = Client(Driver())
    client.headers = {}
    return client.exchange([text("done")], headers=said)


def test_a_label_is_what_a_header_of_ours_says() -> None:
    assert labels_of(an_exchange(" platform "), TEAM) == {"team": "platform"}


def test_a_label_may_be_the_agents_program() -> None:
    exchange = an_exchange(**{"user-agent": "claude-cli/2.1.332 (x)"})
    assert labels_of(exchange, {"agent": "client"}) == {"agent": "claude-code"}


def test_what_is_not_said_is_left_out() -> None:
    assert labels_of(an_exchange(), {**TEAM, "agent": "client"}) == {}
    assert labels_of(an_exchange(""), TEAM) == {}


@pytest.mark.parametrize("value", ["a" * 65, "{}", "a\tb", "é", "-dash", "sk\x00"])
def test_what_is_no_short_plain_text_is_other(value: str) -> None:
    assert labels_of(an_exchange(value), TEAM) == {"team": "other"}


@settings(max_examples=100)
@given(st.text())
def test_whatever_is_said_a_label_is_short_and_plain(value: str) -> None:
    found = labels_of(an_exchange(value), TEAM).get("team", "other")
    assert len(found) <= 64
    assert found.isascii()
    assert found.isprintable()


def test_a_session_keeps_the_first_value_it_names() -> None:
    """The driver loads the session's state from its bytes each time, as after a restart."""
    instruments = Instruments(tools=shipped_rules(), count=words, redact=str)
    client = Client(Driver(Journey(Ports(instruments=instruments, price=price, source="live", labels=TEAM))))
    said = []
    for team in ("", "platform", "", "search"):
        client.user(text("go on"))
        observed = client.turn(headers={"x-compaction-team": team} if team else None)
        said += [fact.labels for fact in observed.facts if isinstance(fact, SessionFact)]
    assert said == ["", *['{"team":"platform"}'] * 3]
