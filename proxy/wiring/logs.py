"""Log lines: text for a person, JSON lines for a collector. Never contents, never keys."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TextIO


class JsonLines(logging.Formatter):
    """One object for each line."""

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, where from, what; an exception by its type and place alone."""
        told = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info and record.exc_info[0]:
            told["exception"] = record.exc_info[0].__name__
        return json.dumps(told, ensure_ascii=False)


class TextLines(logging.Formatter):
    """Clock, level, what."""

    def format(self, record: logging.LogRecord) -> str:
        """As above, for a terminal."""
        clock = time.strftime("%H:%M:%S", time.localtime(record.created))
        exception = f" ({record.exc_info[0].__name__})" if record.exc_info and record.exc_info[0] else ""
        return f"{clock} {record.levelname.lower():<7} {record.getMessage()}{exception}"


def settle_form(form: str, stream: TextIO) -> str:
    """`auto` is text on a terminal and JSON elsewhere."""
    return ("text" if stream.isatty() else "json") if form == "auto" else form


def start_logging(form: str, stream: TextIO | None = None) -> None:
    """Send all log lines of this process to stderr in that form."""
    out = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines() if settle_form(form, out) == "json" else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
