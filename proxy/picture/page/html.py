"""The self-contained HTML file: header, pictures, bills. It asks nobody for anything, and its policy says so."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from datetime import UTC
from hashlib import sha256

from proxy.picture.drawing import element, words
from proxy.picture.frame import Frame, frame
from proxy.picture.legend import legend
from proxy.picture.page.bills import Contents, bills_section
from proxy.picture.page.script import SCRIPT
from proxy.picture.page.style import STYLE
from proxy.picture.svg import inner_svg, notes
from proxy.story import figures
from proxy.story.audit import audit_line
from proxy.story.banner import SEPARATOR, origin, timed_totals
from proxy.story.naming import name_of_session
from proxy.story.story import Story

WIDE, NARROW = 1180, 370


def html_page(story: Story, *, contents: Contents | None = None) -> str:
    """The whole file. Times are UTC and `as of` is the session's last exchange: the same facts give the same bytes.

    Args:
        story: the session.
        contents: texts of answers to embed; none by default.
    """
    first, *rest = origin(story)
    head = "".join(
        (
            '<meta charset="utf-8"/>',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy()}"/>',
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>',
            '<meta name="referrer" content="no-referrer"/>',
            '<link rel="icon" href="data:,"/>',
            element("title", words(f"{first} \u00b7 compaction-gate")),
            f"<style>{STYLE}</style>",
        )
    )
    body = element("main", *_body(story, first, rest, contents or {}))
    script = f'<div id="tip" role="tooltip" hidden="hidden"></div><script>{SCRIPT}</script>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>{body}\n{script}</body></html>\n'


def _policy() -> str:
    return (
        f"default-src 'none'; img-src data:; style-src '{_digest(STYLE)}'; script-src '{_digest(SCRIPT)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _body(story: Story, first: str, rest: list[str], contents: Contents) -> Iterator[str]:
    yield element("h1", words(first))
    yield element("p", words(SEPARATOR.join(rest)))
    line = SEPARATOR.join(timed_totals(story, as_of_us=story.session.last_us, zone=UTC))
    yield element("p", words(f"{line} UTC"), class_="soft")
    if not story.turns:
        yield element("p", "no turn so far: no model call ended with its terminal event")
        yield element("p", "next: ", element("code", "compaction-gate status"))
        return
    yield _three(story)
    yield _picture(story)
    yield element("h2", "Compactions")
    yield bills_section(story, contents)
    yield from _small_print(story)


def _three(story: Story) -> str:
    """The three numbers of the first screen."""
    cells = (
        (figures.usd(story.cost.pico_usd) if story.cost.pico_usd is not None else "not priced", "billed, as observed"),
        (_compacting(story), f"measured cost of {figures.plural(len(story.bills), 'compaction')}"),
        (f"{story.exact} + {story.partial}", "re-reads, exact + partial" + _bound(story)),
    )
    divisions = (
        element("div", element("b", words(big)), element("span", words(small), class_="soft")) for big, small in cells
    )
    return element("div", *divisions, class_="three")


def _compacting(story: Story) -> str:
    amounts = [bill.measured_pico_usd for bill in story.bills]
    known = [amount for amount in amounts if amount is not None]
    if not known:
        return "unpriced" if amounts else "none"
    return figures.usd(sum(known)) + (f" + {len(amounts) - len(known)} unpriced" if len(known) < len(amounts) else "")


def _bound(story: Story) -> str:
    return "; a lower bound" if story.unknown_calls else ""


def _picture(story: Story) -> str:
    frames: list[tuple[Frame, str]] = [
        (frame(story, NARROW if is_narrow else WIDE, by_time=by_time, is_narrow=is_narrow),
         f"{'narrow' if is_narrow else 'wide'} {'by-time' if by_time else 'by-turn'}")
        for is_narrow in (False, True) for by_time in (False, True)
    ]  # fmt: skip
    tools = element(
        "div",
        element("span", "x axis:"),
        '<label><input type="radio" name="axis" id="by-turn" checked="checked"/> turns</label>',
        '<label><input type="radio" name="axis" id="by-time"/> time</label>',
        element("span", "Tab to a compaction and Enter for its bill; arrow keys go from call to call", class_="extra"),
        class_="tools",
    )
    said = (element("ul", *(element("li", words(note)) for note in notes(found)), class_=f"notes {name}")
            for found, name in frames)  # fmt: skip
    return element(
        "section", tools, *(inner_svg(found, name) for found, name in frames), _legend(story), *said, class_="picture"
    )


def _legend(story: Story) -> str:
    entries = (
        element("li", element("svg", sign, viewBox="-6 -6 12 12", aria_hidden="true"), words(meaning))
        for sign, meaning in legend(story)
    )
    return element("ul", *entries, class_="legend")


def _small_print(story: Story) -> Iterator[str]:
    unknown = figures.share(story.unknown_calls, len(story.calls))
    retrievals = figures.plural(story.retrievals_after_a_boundary, "retrieval")
    dropped = figures.plural(sum(one.dropped_observations for one in story.boundaries), "observation")
    said = (
        f"Source {story.session.source}, method observed, except what is marked modelled.",
        f"Unknown tools: {unknown} of calls; re-reads are a lower bound by that share.",
        f"Of {retrievals} since the first compaction {story.exact} were exact re-reads and {story.partial} partial.",
        f"{dropped} had been dropped.",
        "Re-reads show recoverable loss only: an agent that acts wrongly instead of reading again looks cheap here.",
    )
    audit = f"{audit_line(story.audited).capitalize()}."
    yield element("h2", "What these figures are")
    yield element("p", words(" ".join((*said, audit))), class_="soft")
    command = f"compaction-gate session {name_of_session(story)}"
    yield element("p", "the same in a terminal: ", element("code", words(command)))
