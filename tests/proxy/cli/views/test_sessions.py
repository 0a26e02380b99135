from __future__ import annotations

from datetime import UTC

from proxy.cli.views.sessions import Summary, sessions_lines
from tests.support.stories import Telling


def test_looping_sessions_stand_above_all_others() -> None:
    def summary(name: str, **given: int) -> Summary:
        blank = {
            "turns": 1,
            "unpriced": 0,
            "boundaries": 0,
            "exact": 0,
            "partial": 0,
            "exact_tokens_ref": 0,
            "partial_tokens_ref": 0,
            "calls": 0,
        }
        told = Telling(name + "0" * 28)
        return Summary(session=told.fact, pico_usd=None, unknown_calls=0, looping=name == "bbbb", **blank | given)

    read_again = summary("aaaa", exact=2, exact_tokens_ref=9_999, partial=1, partial_tokens_ref=40)
    lines = sessions_lines([read_again, summary("bbbb")], zone=UTC)
    assert lines[1].startswith("bbbb0000")
    assert lines[1].endswith("looping")
    assert "not priced" in lines[2]
    assert "2 + 1 partial  10.0k + 40" in lines[2]
