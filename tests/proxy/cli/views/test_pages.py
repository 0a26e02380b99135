"""Names out of traffic on every page of the terminal."""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Iterator
from importlib import import_module

import pytest

from proxy.cli import views
from proxy.cli.rules.lines import seen_lines
from proxy.cli.rules.seen import seen_tools
from proxy.cli.views.compare import compare_lines
from proxy.cli.views.explain import boundary_lines, call_lines
from proxy.cli.views.session import session_lines
from proxy.cli.views.sessions import Summary, sessions_lines
from proxy.cli.views.status import Status, status_lines
from proxy.model.facts import ExchangeKind
from proxy.story.comparison import compared
from tests.support.stories import Telling, reads, rereads

ESCAPE = "Read\x1b[31m\x1b]0;owned\x07\nfake line\r\x9b2J\u202e"
INSIDE = ("curve", "lanes", "timeline", "header", "bill_table", "loop_lines", "limit_lines", "bill_lines")
"""Parts that a page or a table puts into itself."""


def a_steering_session(session: str = "7f3a91c2") -> Telling:
    told = Telling(session + "0" * 24, client=ESCAPE, client_version=ESCAPE)
    for _ in range(2):
        told.turn(60_000, {**reads(ESCAPE), "tool": ESCAPE, "span": ESCAPE, "because": '{"reason": "a\\u001b[1mb"}'})
        told.boundary((ESCAPE, 500), trigger=ESCAPE, evidence=ESCAPE)
    told.turn(
        9_000,
        *({**rereads(ESCAPE, boundary=2), "tool": ESCAPE} for _ in range(3)),
        *({**rereads("", boundary=2), "tool": ESCAPE} for _ in range(3)),
    )
    return told


def pages() -> Iterator[tuple[str, list[str]]]:
    told, other = a_steering_session(), a_steering_session("91c0aaaa")
    other.turn(5_000, {**reads(ESCAPE), "tool": ESCAPE})
    story = told.story()
    yield "session", session_lines(story, now_us=told.now_us, width=100)
    yield "explain call", [line for call in story.calls for line in call_lines(story, call)]
    yield "explain boundary", boundary_lines(story, 2, story.bills[1])
    yield "compare", compare_lines(story, other.story(), compared(story, other.story()))
    summary = Summary(
        session=told.fact, turns=3, pico_usd=None, unpriced=0, boundaries=2, exact=3, partial=0, exact_tokens_ref=400,
        partial_tokens_ref=100, calls=5, unknown_calls=0, looping=False,
    )  # fmt: skip
    yield "sessions", sessions_lines([summary])
    yield "status", status_lines(Status(now_us=told.now_us, data="data", by="", since_us=None, processes=(),
                                        last_by_upstream={ESCAPE: None},
                                        exchanges={(ExchangeKind.UNPARSED, ESCAPE): 1}))  # fmt: skip
    yield "tools", seen_lines(seen_tools((ESCAPE, call) for call in story.calls))


@pytest.mark.parametrize(("name", "lines"), list(pages()))
def test_no_name_out_of_traffic_steers_the_terminal_or_forges_a_line(name: str, lines: list[str]) -> None:
    assert any("[31m" in line for line in lines), f"{name} does not show the name at all"
    steering = {letter for line in lines for letter in line if not letter.isprintable()}
    assert steering == set()


def test_every_page_of_this_package_passes_through_the_same_hands() -> None:
    for module in pkgutil.iter_modules(views.__path__):
        if module.name.endswith("_json") or module.name in ("columns", "curve", "lanes"):
            continue
        for name, page in inspect.getmembers(import_module(f"{views.__name__}.{module.name}"), inspect.isfunction):
            if name.endswith("_lines") and name not in INSIDE:
                assert hasattr(page, "__wrapped__"), f"{module.name}.{name}"
