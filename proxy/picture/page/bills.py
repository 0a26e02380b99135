"""The bill of each compaction, and what it dropped: what was fetched again first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from proxy.ledger.bill import Bill
from proxy.model.facts import BoundaryFact
from proxy.model.ids import CallId
from proxy.picture.drawing import element, words
from proxy.story import figures
from proxy.story.bill import TITLE, bill_rows, pay_back
from proxy.story.dropped import Dropped, dropped_by
from proxy.story.figures import shortened
from proxy.story.naming import name_of_session
from proxy.story.story import Story

MOST_LISTED, LEAST_LISTED = 60, 5
"""Dropped observations that one bill lists; the others are counted."""
MOST_LISTED_IN_ALL = 3_000
"""Where there are many bills, each lists less."""
MOST_CHARACTERS, MOST_CHARACTERS_IN_ALL = 20_000, 5_000_000
"""Of one content that is shown, and of all."""
MOST_NAMED = 160

Contents = Mapping[CallId, str]
"""Answers that are shown, by the call that brought them."""


def bills_section(story: Story, contents: Contents) -> str:
    """One part that can be opened for each compaction."""
    if not story.bills:
        return element("p", "no compaction so far: nothing has left the model\u2019s view", class_="soft")
    shown = affordable(story, contents)
    bills = "".join(_bill(story, f"b{number}", bill, shown) for number, bill in enumerate(story.bills, start=1))
    return bills + _left_out(len(contents) - len(shown)) if contents else bills


def affordable(story: Story, contents: Contents) -> Contents:
    """Answers to what was dropped, in the order of the bills, up to a size that a browser opens with ease."""
    shown: dict[CallId, str] = {}
    left = MOST_CHARACTERS_IN_ALL
    for bill in story.bills:
        for each in _listed(story, bill.boundary):
            text = contents.get(each.observation.call)
            if text is not None and left >= min(len(text), MOST_CHARACTERS):
                left -= 0 if each.observation.call in shown else min(len(text), MOST_CHARACTERS)
                shown[each.observation.call] = text
    return shown


def _left_out(count: int) -> str:
    if not count:
        return ""
    said = f"{figures.plural(count, 'kept answer')} not in this file: not dropped by a compaction, or no room"
    return element("p", words(said), class_="soft")


def _listed(story: Story, boundary: BoundaryFact) -> list[Dropped]:
    most = max(LEAST_LISTED, min(MOST_LISTED, MOST_LISTED_IN_ALL // len(story.bills)))
    return dropped_by(story, boundary)[:most]


def _bill(story: Story, name: str, bill: Bill, contents: Contents) -> str:
    boundary = bill.boundary
    again = bill.exact.events + bill.partial.events
    thread = "" if boundary.thread == "main" else f" of {boundary.thread}"
    said = [
        f"turn {boundary.turn}{thread}",
        " ".join(filter(None, (boundary.kind, boundary.trigger))),
        f"context {figures.short(boundary.tokens_before)} \u2192 {figures.short(boundary.tokens_after)}",
        f"{figures.plural(boundary.dropped_observations, 'observation')} dropped",
        f"{figures.plural(again, 're-read')}",
        f"measured cost {figures.usd(bill.measured_pico_usd)}",
        f"pays back after: {pay_back(bill)}",
    ]
    head = element("summary", element("b", name), " \u00b7 ", words(" \u00b7 ".join(said)))
    return element("details", head, element("div", *_inside(story, name, bill, contents)), class_="bill", id=name)


def _inside(story: Story, name: str, bill: Bill, contents: Contents) -> Iterator[str]:
    boundary = bill.boundary
    seen = f"seen by {boundary.evidence} ({boundary.level}), {figures.moment(boundary.at_us)} UTC"
    yield element("p", words(seen), class_="soft")
    yield element("table", _head((TITLE, "tokens", "USD", "")), *_rows(bill), class_="sum")
    yield from _dropped(story, boundary, contents)
    command = f"compaction-gate explain {name_of_session(story)}:{name}"
    yield element("p", "next: ", element("code", words(command)))


def _rows(bill: Bill) -> Iterator[str]:
    for row in bill_rows(bill):
        cells = [element("td", words(row.name)), _number(row.tokens), _number(row.usd), element("td", words(row.note))]
        yield element("tr", *cells, class_="total" if row.name == "measured" else None)


def _dropped(story: Story, boundary: BoundaryFact, contents: Contents) -> Iterator[str]:
    listed = _listed(story, boundary)
    if not listed:
        return
    head = element(
        "tr", element("th", "fetched again"), element("th", "tokens ref", class_="n"), element("th", "what"),
        element("th", "seen at", class_="extra"), element("th", "in summary", class_="extra"),
    )  # fmt: skip
    yield element("table", head, *(_one(each, contents) for each in listed), class_="dropped")
    if boundary.dropped_observations > len(listed):
        rest = f"\u2026 and {boundary.dropped_observations - len(listed):,} more, smaller or never fetched again"
        yield element("p", rest, class_="soft")


def _one(each: Dropped, contents: Contents) -> str:
    observation = each.observation
    named = ":".join(filter(None, (observation.resource or observation.key, observation.span))) or "name not kept"
    what = element("code", words(shortened(named, MOST_NAMED)))
    text = contents.get(observation.call)
    if text is not None:
        what += element("details", element("summary", "content"), element("pre", words(_cut(text))))
    again = f"{each.fetched_again} {figures.TIMES}" if each.fetched_again else "never"
    return element(
        "tr", element("td", again), _number(figures.whole(observation.tokens_ref)), element("td", what),
        element("td", f"turn {observation.turn}", class_="extra"),
        element("td", words(each.drop.in_summary), class_="extra"),
        class_="again" if each.fetched_again else None,
    )  # fmt: skip


def _cut(text: str) -> str:
    rest = len(text) - MOST_CHARACTERS
    return text if rest <= 0 else f"{text[:MOST_CHARACTERS]}\n\u2026 and {rest:,} characters more"


def _head(names: tuple[str, ...]) -> str:
    return element(
        "tr", *(element("th", words(name), class_="n" if place in (1, 2) else None) for place, name in enumerate(names))
    )


def _number(text: str) -> str:
    return element("td", words(text), class_="n")
