"""ISO 8601 as transcripts write it, to UTC microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_END = (datetime(9999, 12, 30, tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""A time before it is a date in every time zone; prices and pages reckon with dates."""


def microseconds(text: object) -> int | None:
    """UTC microseconds of `2026-01-02T19:18:31.028Z`; None when it is no time, or none between 1970 and 9999."""
    if not isinstance(text, str):
        return None
    try:
        since = _since(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None
    return since if 0 <= since < _END else None


def _since(moment: datetime) -> int:
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (known - _EPOCH) // _MICROSECOND
