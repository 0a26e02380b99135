"""ISO 8601 as transcripts write it, to UTC microseconds."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def microseconds(text: object) -> int | None:
    """UTC microseconds of `2026-01-02T19:18:31.028Z`; None when it is no time."""
    if not isinstance(text, str):
        return None
    try:
        return _since(datetime.fromisoformat(text))
    except (ValueError, OverflowError):
        return None


def _since(moment: datetime) -> int:
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (known - _EPOCH) // _MICROSECOND
