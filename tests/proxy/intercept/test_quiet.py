from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from proxy.intercept.quiet import MITMPROXY, hush


class Kept(logging.Handler):
    """Keeps what would be written."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture
def kept() -> Iterator[Kept]:
    """What comes of mitmproxy's lines."""
    theirs, ours, handler = logging.getLogger(MITMPROXY), logging.getLogger("intercept"), Kept()
    before = (theirs.level, theirs.propagate, theirs.handlers)
    hush()
    ours.addHandler(handler)
    yield handler
    ours.removeHandler(handler)
    theirs.level, theirs.propagate, theirs.handlers = before


def test_what_went_by_is_in_no_line_and_errors_are_told_by_place_and_kind(kept: Kept) -> None:
    logger = logging.getLogger("mitmproxy.proxy.server")
    logger.warning("client sent canary")
    error = ValueError("canary")
    logger.error("canary: %s", "canary", exc_info=error)
    logger.error("canary")
    assert [line.partition(":")[0] for line in kept.lines] == ["mitmproxy", "mitmproxy"]
    assert "(ValueError; text withheld)" in kept.lines[0]
    assert "(no exception; text withheld)" in kept.lines[1]
    assert not any("canary" in line for line in kept.lines)
