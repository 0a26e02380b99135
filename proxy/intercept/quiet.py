"""mitmproxy's own log lines: they may quote what went by, so that only their place and kind are told."""

from __future__ import annotations

import logging

MITMPROXY = "mitmproxy"


class WithoutWords(logging.Filter):
    """Takes the text and the exception's words out of every line; lines below an error are dropped."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Change the record in place."""
        if record.levelno < logging.ERROR:
            return False
        kind = record.exc_info[0].__name__ if record.exc_info and record.exc_info[0] else "no exception"
        record.msg = "mitmproxy: error at %(place)s (%(kind)s; text withheld)"
        record.args = {"place": f"{record.module}:{record.lineno}", "kind": kind}
        record.exc_info = record.exc_text = None
        return True


class _Relay(logging.Handler):
    """Hands records to our handlers under our own name, after the filter."""

    def emit(self, record: logging.LogRecord) -> None:
        logging.getLogger("intercept").handle(record)


def hush() -> None:
    """Let nothing of mitmproxy reach a log unfiltered. A filter of a logger is not asked for its children's lines."""
    logger = logging.getLogger(MITMPROXY)
    logger.setLevel(logging.ERROR)
    logger.propagate = False
    logger.handlers = [_Relay()]
    logger.handlers[0].addFilter(WithoutWords())
