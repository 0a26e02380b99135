from __future__ import annotations

import pytest

from config.keys import nearest, nearest_variable


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("relay.drian_s", "relay.drain_s"),
        ("drain_s", "relay.drain_s"),
        ("capture.content", "capture.contents"),
        ("upstreams.corp.uri", "upstreams.NAME.url"),
    ],
)
def test_a_misspelling_is_answered_with_the_key_it_most_likely_meant(typed: str, meant: str) -> None:
    assert nearest(typed) == meant


def test_a_misspelt_variable_is_answered_with_a_known_one() -> None:
    assert nearest_variable("COMPACTION_GATE_RELAY_LISTN") == "COMPACTION_GATE_RELAY_LISTEN"
