"""Log lines: text for a person, JSON lines for a collector (docs/logs.md). Never contents, never keys.

Our own lines name their values, `LOG.info("relay %(pid)s listens", {"pid": 1})`: the sentence without its values is the
event, the values are its fields.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import time
from collections.abc import Mapping
from typing import TextIO

_PLACE = re.compile(r"%\((?P<name>\w+)\)[-+ #0]*\d*(?:\.\d+)?[a-zA-Z]")


class JsonLines(logging.Formatter):
    """One object for each line."""

    def __init__(self, component: str) -> None:
        """Takes the process that logs."""
        super().__init__()
        self._component = component

    def format(self, record: logging.LogRecord) -> str:
        """Time, level, where from, what; an exception by its type alone."""
        template = str(record.msg)
        named = record.args if isinstance(record.args, Mapping) else {}
        told: dict[str, object] = {
            "ts": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "component": self._component,
            "logger": record.name,
            "event": _PLACE.sub(lambda found: f"{{{found['name']}}}", template) if named else template,
            "message": record.getMessage(),
            "fields": {name: value if _is_plain(value) else str(value) for name, value in named.items()},
        }
        if record.exc_info and record.exc_info[0]:
            told["exception"] = record.exc_info[0].__name__
        return json.dumps(told, ensure_ascii=False)


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


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


def start_logging(form: str, component: str, stream: TextIO | None = None) -> None:
    """Send all log lines of this process to stderr in that form, under that name."""
    out = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(out)
    handler.setFormatter(JsonLines(component) if settle_form(form, out) == "json" else TextLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for foreign in ("alembic", "opentelemetry", "urllib3"):
        logging.getLogger(foreign).setLevel(logging.ERROR)
