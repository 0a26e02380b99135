from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

from proxy.model.ids import CallId
from proxy.picture.page.html import html_page
from tests.support.pictured import HOSTILE, a_hostile_session, a_long_session, a_pictured_session
from tests.support.stories import Telling


class Outline(HTMLParser):
    """Tags and what they lead to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.styled = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        found = dict(attrs)
        self.links += [str(found[name]) for name in ("href", "src") if name in found]
        self.ids += [str(found["id"])] if "id" in found else []
        self.styled += "style" in found
        assert not any(name.startswith("on") for name in found)


def test_the_page_asks_nobody_for_anything_and_its_policy_allows_only_its_own_lines() -> None:
    page = html_page(a_pictured_session().story())
    outline = Outline(page)
    assert all(link.startswith(("#", "data:")) for link in outline.links)
    assert outline.styled == 0
    for tag in ("style", "script"):
        (inner,) = re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert f"'sha256-{b64encode(sha256(inner.encode()).digest()).decode()}'" in page
    assert "default-src 'none'" in page


def test_the_same_facts_give_the_same_bytes() -> None:
    assert html_page(a_pictured_session().story()) == html_page(a_pictured_session().story())


def test_ids_are_unique_and_each_band_leads_to_a_bill() -> None:
    outline = Outline(html_page(a_pictured_session().story()))
    assert len(outline.ids) == len(set(outline.ids))
    assert {link for link in outline.links if link.startswith("#")} == {"#b1", "#b2"}
    assert {"b1", "b2"} <= set(outline.ids)


def test_contents_are_absent_unless_given_and_cut_when_long() -> None:
    told = Telling()
    told.turn(1_000, {"resource": "a", "call": CallId("c1")})
    told.boundary(("a", 100))
    story = told.story()
    assert "<pre>" not in html_page(story)
    page = html_page(story, contents={story.observations[0].call: f"{HOSTILE}{'y' * 30_000}"})
    assert "&lt;script&gt;" in page
    assert "characters more" in page
    assert page.count("<script") == 1


def test_hostile_names_add_no_element() -> None:
    tags = Outline(html_page(a_hostile_session().story())).tags
    assert tags.count("script") == 1
    assert "img" not in tags


def test_a_long_session_stays_small() -> None:
    page = html_page(a_long_session(400).story())
    assert len(page) < 1_500_000
    assert "share 154 columns" in page


def test_without_a_turn_the_next_command_is_told() -> None:
    assert "next: <code>compaction-gate status</code>" in html_page(Telling().story())


def test_what_is_unpriced_is_not_summed_as_nothing() -> None:
    told = Telling()
    told.turn(1_000)
    told.boundary(("a", 5), evidence="continuation text")
    told.turn(500)
    page = html_page(told.story())
    assert "<b>unpriced</b>" in page
