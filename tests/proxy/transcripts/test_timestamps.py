from __future__ import annotations

import pytest

from proxy.transcripts.timestamps import microseconds


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1970-01-01T00:00:01.000001Z", 1_000_001),
        ("2026-01-02T19:18:31.028Z", 1_767_381_511_028_000),
        ("2026-01-02T20:18:31.028+01:00", 1_767_381_511_028_000),
        ("2026-01-02T19:18:31", 1_767_381_511_000_000),
        ("9999-12-29T23:59:59Z", 253_402_127_999_000_000),
        ("9999-12-31T23:59:59-14:00", None),
        ("1969-12-31T23:59:59Z", None),
        ("yesterday", None),
        ("", None),
        (17, None),
        (None, None),
    ],
)
def test_times_are_utc_microseconds_and_what_is_none_is_not_guessed(text: object, expected: int | None) -> None:
    assert microseconds(text) == expected
