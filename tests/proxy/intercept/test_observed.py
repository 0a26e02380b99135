from __future__ import annotations

import pytest

from proxy.intercept.observed import Observed, outcome_of
from proxy.model.exchange import Outcome
from proxy.relay.refusals import Kind


@pytest.mark.parametrize(
    ("trouble", "has_left", "is_draining", "outcome"),
    [
        (None, False, False, Outcome.UPSTREAM_CUT),
        (Kind.UPSTREAM_CLOSED, False, False, Outcome.UPSTREAM_CUT),
        (Kind.UPSTREAM_FRAMING, False, False, Outcome.UPSTREAM_CUT),
        (Kind.UPSTREAM_UNREACHABLE, False, False, Outcome.REFUSED),
        (Kind.UPSTREAM_TLS, False, False, Outcome.REFUSED),
        (Kind.UPSTREAM_TLS, True, False, Outcome.CLIENT_CLOSED),
        (None, True, True, Outcome.SHUTDOWN),
    ],
)
def test_an_exchange_ends_by_whoever_ended_it(
    trouble: Kind | None, has_left: bool, is_draining: bool, outcome: Outcome
) -> None:
    assert outcome_of(trouble, has_left=has_left, is_draining=is_draining) is outcome


def test_a_connection_that_is_gone_has_nothing_under_way() -> None:
    observed = Observed()
    assert observed.of("a") is observed.of("a")
    assert observed.exchange_of("a") is None
    observed.forget("a", Outcome.CLIENT_CLOSED)
    observed.forget("b", Outcome.CLIENT_CLOSED)
    assert (observed.connections, observed.under_way()) == ({}, 0)
