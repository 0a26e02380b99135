from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.wiring.logs import settle_form, start_logging


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


def logged(form: str) -> str:
    out = io.StringIO()
    start_logging(form, "relay", out)
    try:
        int("canary")
    except ValueError:
        told = {"thing": "a value", "seconds": 1.25, "where": Path("x")}
        logging.getLogger("proxy.relay").warning("a message with %(thing)s after %(seconds).1f s", told, exc_info=True)
    return out.getvalue()


def test_a_collector_gets_one_object_for_each_line_without_the_exceptions_text() -> None:
    told = json.loads(logged("json"))
    assert (told["level"], told["component"], told["logger"]) == ("warning", "relay", "proxy.relay")
    assert told["message"] == "a message with a value after 1.2 s"
    assert told["event"] == "a message with {thing} after {seconds} s"
    assert told["fields"] == {"thing": "a value", "seconds": 1.25, "where": "x"}
    assert told["exception"] == "ValueError"
    assert told["ts"].endswith("Z")
    assert "canary" not in json.dumps(told)


def test_a_person_gets_a_line_of_text() -> None:
    line = logged("text")
    assert line.endswith("warning a message with a value after 1.2 s (ValueError)\n")
    assert "canary" not in line


def test_auto_is_json_where_no_terminal_is() -> None:
    assert settle_form("auto", io.StringIO()) == "json"
    assert settle_form("text", io.StringIO()) == "text"
