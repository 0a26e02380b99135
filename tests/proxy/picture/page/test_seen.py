"""The page as a person sees it: opened in a real headless Chromium."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proxy.picture.page.html import html_page
from tests.support.browser import Browser, NoBrowserError, a_browser
from tests.support.pictured import a_hostile_session, a_long_session, a_pictured_session
from tests.support.stories import Telling

WIDE, NARROW = 1280, 400
SHOWN = '[...document.querySelectorAll(".picture svg")].find((svg) => svg.getClientRects().length)'
TIP = 'document.getElementById("tip")'


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    try:
        with a_browser() as found:
            yield found
    except NoBrowserError as error:
        pytest.skip(f"no browser: {error}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pages")


def a_crowded_session() -> Telling:
    return a_long_session(300)


def a_page(folder: Path, name: str, told: Telling) -> Path:
    file = folder / f"{name}.html"
    if not file.exists():
        file.write_text(html_page(told.story()), "utf-8")
    return file


def count(browser: Browser, spot: str) -> int:
    found = browser.value(
        f"[...{SHOWN}.querySelectorAll({spot!r})].filter((one) => one.getClientRects().length).length"
    )
    assert isinstance(found, int)
    return found


def is_quiet(browser: Browser, file: Path) -> bool:
    asked = [url for url in browser.do("asked") if not url.startswith("data:")]
    return browser.do("said") == [] and asked == [file.as_uri()]


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_bands_arcs_and_ticks_of_each_class_are_seen_at_both_widths(browser: Browser, folder: Path, width: int) -> None:
    file = a_page(folder, "pictured", a_pictured_session())
    browser.open(file, width)
    assert count(browser, ".band") == 2
    assert count(browser, ".arc.exact") == 3
    assert count(browser, ".arc.partial") == 3, "one part, one stub, one demand"
    seen = {name: count(browser, f".tick.{name}") for name in ("exact", "partial", "attempted", "forced", "summary")}
    assert seen == {"exact": 3, "partial": 1, "attempted": 1, "forced": 1, "summary": 1}
    others = ("write", "refresh", "visible", "read", "run", "unknown", "turn", "miss")
    assert [count(browser, f".tick.{name}") for name in others] == [1, 1, 1, 4, 1, 1, 1, 3]
    assert is_quiet(browser, file)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_the_context_is_seen_by_kind_each_layer_above_the_ones_it_stands_on(
    browser: Browser, folder: Path, width: int
) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), width)
    tops = browser.value(
        f"""[...{SHOWN}.querySelectorAll(".kind")].map((one) =>
        [one.getAttribute("class").slice(5), one.getBoundingClientRect().top])"""
    )
    assert [name for name, _ in tops] == ["tool-results", "texts-and-calls", "summary", "tool-definitions", "system"]
    assert sorted(top for _, top in tops) == [top for _, top in tops]
    told = browser.value("document.querySelector('.legend').innerText")
    for meaning in ("system", "tool definitions", "summary", "texts and calls", "tool results"):
        assert f"in view: {meaning}" in told
    assert "cost: written to the cache" in told


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("told", [a_pictured_session, a_crowded_session, a_hostile_session])
def test_nothing_runs_over_the_edge(browser: Browser, folder: Path, told: Callable[[], Telling], width: int) -> None:
    file = a_page(folder, told.__name__, told())
    browser.open(file, width)
    browser.value('document.querySelectorAll("details").forEach((each) => { each.open = true; })')
    overflow = browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0
    texts = f"""(() => {{ const edge = {SHOWN}.getBoundingClientRect();
        return [...{SHOWN}.querySelectorAll("text")].filter((one) => {{ const box = one.getBoundingClientRect();
          return box.right > edge.right + 1 || box.left < edge.left - 1; }}).map((one) => one.textContent); }})()"""
    assert browser.value(texts) == []
    assert is_quiet(browser, file)


def test_an_arc_crosses_the_band_of_the_boundary_that_dropped_it(browser: Browser, folder: Path) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), WIDE)
    crossed = browser.value(
        f"""(() => {{ const x = (one) => one.getBoundingClientRect().left;
        const bands = [...{SHOWN}.querySelectorAll(".band line")].map(x);
        return [...{SHOWN}.querySelectorAll(".arc")].map((arc) => {{ const box = arc.getBoundingClientRect();
          return bands.filter((x) => x > box.left && x < box.right).length; }}); }})()"""
    )
    assert sorted(crossed) == [1, 1, 1, 1, 1, 2]


def test_a_tick_that_has_the_focus_tells_its_tool_and_resource_and_lights_its_arc(
    browser: Browser, folder: Path
) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), WIDE)
    browser.do("focus", spot=".wide.by-turn .tick.exact")
    told = browser.value(f"{TIP}.hidden ? '' : {TIP}.textContent")
    assert told.splitlines()[:2] == ["turn 5 · Read", "src/b.py"]
    assert "re-read exact (reacquisition), 2,300 reference tokens" in told
    assert "repeats turn 2, dropped by b1" in told
    assert count(browser, ".arc.lit") == 1
    browser.do("press", key="Escape")
    assert browser.value(f"{TIP}.hidden") is True


def test_a_pointer_near_a_tick_is_told_the_same(browser: Browser, folder: Path) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), NARROW)
    box = browser.value(f'(() => {SHOWN}.querySelector(".tick.exact").getBoundingClientRect().toJSON())()')
    browser.do("hover", x=box["x"] + box["width"] / 2 + 1, y=box["y"] + box["height"] / 2)
    assert browser.value(f"{TIP}.textContent").splitlines()[1] == "src/b.py"
    edge = browser.value(f"{TIP}.getBoundingClientRect().right")
    assert edge <= NARROW


def test_everything_is_reached_by_keyboard_alone(browser: Browser, folder: Path) -> None:
    """Tab: axis, bands, then one stop for all ticks; arrows go on from there; Enter on a band opens its bill."""
    browser.open(a_page(folder, "pictured", a_pictured_session()), WIDE)
    stops = []
    for _ in range(4):
        browser.do("press", key="Tab")
        stops.append(
            browser.value("document.activeElement.getAttribute('href') || document.activeElement.id || 'tick'")
        )
    assert stops == ["by-turn", "#b1", "#b2", "tick"]
    focused = "document.activeElement.dataset.tip.split('\\n')[0]"
    seen = [browser.value(focused)]
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown", "ArrowUp", "Home", "End"):
        browser.do("press", key=key)
        seen.append(browser.value(focused))
    assert seen[0] == seen[6] == "turn 1 · Read"
    assert seen[4] == "turn 1 · Read", "the sub-agent's lane is under the main one"
    assert seen[7] == "turn 12 of main"
    browser.do("focus", spot=".wide.by-turn .band")
    assert browser.value("document.getElementById('b1').open") is False
    browser.do("press", key="Enter")
    assert browser.value("document.getElementById('b1').open") is True
    assert browser.value("document.activeElement.closest('details').id") == "b1"


def test_a_bill_that_is_opened_shows_its_sum_and_lists_first_what_was_fetched_again(
    browser: Browser, folder: Path
) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), NARROW)
    browser.do("click", spot="#b1 > summary")
    rows = browser.value("[...document.querySelectorAll('#b1 table.dropped tr')].slice(1).map((row) => row.innerText)")
    assert [row.split()[0] for row in rows] == ["1", "1", "1"]
    assert "src/b.py" in rows[0], "the largest of those fetched as often"
    total = browser.value("document.querySelector('#b1 tr.total').innerText")
    assert total.split() == ["measured", "$0.0509"]


def test_a_click_on_a_band_opens_its_bill_and_a_second_one_after_it_was_closed_does_so_again(
    browser: Browser, folder: Path
) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), WIDE)
    for _ in range(2):
        browser.do("click", spot=".wide.by-turn .band text")
        assert browser.value("document.getElementById('b1').open") is True
        browser.value("document.getElementById('b1').open = false")


def test_the_axis_can_be_switched_to_time(browser: Browser, folder: Path) -> None:
    browser.open(a_page(folder, "pictured", a_pictured_session()), WIDE)
    assert browser.value(f"{SHOWN}.classList.contains('by-turn')")
    browser.do("click", spot="#by-time")
    assert browser.value(f"{SHOWN}.classList.contains('by-time')")
    assert count(browser, ".band") == 2
    assert count(browser, ".arc.exact") == 3


def test_hostile_names_are_shown_and_never_run(browser: Browser, folder: Path) -> None:
    file = a_page(folder, "a_hostile_session", a_hostile_session())
    browser.open(file, WIDE)
    assert browser.value("document.scripts.length") == 1
    browser.do("focus", spot=".wide.by-turn .tick.exact")
    assert "<script>alert(1)</script>" in browser.value(f"{TIP}.textContent")
    assert is_quiet(browser, file)
