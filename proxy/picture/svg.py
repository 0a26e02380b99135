"""The panels, put together."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.model.facts import CallFact
from proxy.picture.arcs import MOST_ARCS, SHOWN
from proxy.picture.area import context_panel, kinds_panel
from proxy.picture.boundaries import LABEL_HEIGHT, bands
from proxy.picture.costs import cost_bars, cost_panel, miss_panel
from proxy.picture.drawing import element, label, number, words
from proxy.picture.frame import Frame, Panel, TimeAxis, frame, slots
from proxy.picture.kinds import kinds_note
from proxy.picture.lanes import lane_panels
from proxy.picture.legend import legend
from proxy.story import figures
from proxy.story.banner import SEPARATOR, origin, totals
from proxy.story.story import Story

FONT = "ui-sans-serif, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
STILL_WIDTH = 860
AXIS_HEIGHT = 18
STEPS = tuple(factor * 10**power for power in range(6) for factor in (1, 2, 5))
LINE = 16


class Drawn:
    """One picture as text, with what it could not show one by one."""

    def __init__(self, found: Frame) -> None:
        areas = [context_panel(found), kinds_panel(found)]
        panels = [*lane_panels(found), miss_panel(found), cost_panel(found), _axis(found)]
        placed, y = [], float(LABEL_HEIGHT)
        for panel in [*areas, *(panel for panel in panels if panel is not None)]:
            placed.append(element("g", panel.markup, transform=f"translate(0 {number(y)})"))
            y += panel.height
        self.height = y
        # Bands lie over the areas and under everything that can be pointed at.
        self.body = "".join([*placed[: len(areas)], *bands(found, y - AXIS_HEIGHT), *placed[len(areas) :]])


def inner_svg(found: Frame, name: str) -> str:
    """A picture inside a page; `name` is its class."""
    drawn = Drawn(found)
    return element(
        "svg", drawn.body, class_=name, viewBox=f"0 0 {found.width} {number(drawn.height)}", role="group",
        aria_label="timeline", font_family=FONT,
    )  # fmt: skip


def still_svg(story: Story, *, width: int = STILL_WIDTH) -> str:
    """A picture as a file of its own, without anything that depends on when it was made."""
    found = frame(story, width, has_tips=False)
    drawn = Drawn(found)
    head = [SEPARATOR.join(origin(story)), SEPARATOR.join(totals(story))]
    top = LINE * len(head) + 12
    key, key_height = _legend(found, top + drawn.height + 14)
    notes_top = top + drawn.height + 14 + key_height
    foot = [
        label(8, notes_top + 13 * place, text, fill="#52606d", font_size=10) for place, text in enumerate(notes(found))
    ]
    height = notes_top + 13 * len(foot)
    return element(
        "svg",
        element("title", words(head[0])),
        element("desc", words(head[1])),
        element("rect", width=width, height=height, fill="#ffffff"),
        *(label(8, 18 + LINE * place, text, fill="#1f2933", font_size=12, font_weight="bold" if place == 0 else None)
          for place, text in enumerate(head)),
        element("g", drawn.body, transform=f"translate(0 {top})"),
        key,
        *foot,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {number(height)}", width=width, height=height,
        role="img", font_family=FONT,
    ) + "\n"  # fmt: skip


def notes(found: Frame) -> list[str]:
    """What the picture does not show one by one, in words."""
    story = found.story
    said = []
    if slots(story) > found.places.width and not isinstance(found.places, TimeAxis):
        said.append(
            f"{slots(story):,} turns and compactions share {found.places.width} columns: "
            "a tick with a thick edge stands for several calls of one class"
        )
    if missing := len([call for call in story.calls if _is_again(call) and story.origin_of(call) is None]):
        said.append(f"{figures.plural(missing, 're-read')} without an arc: what they repeat is not kept")
    if sum(map(_is_again, story.calls)) > MOST_ARCS:
        said.append(f"at most {MOST_ARCS} arcs in a lane: those of the most tokens")
    if unpriced := cost_bars(found).unpriced:
        said.append(f"{figures.plural(unpriced, 'sampling')} without a price: not in the costs")
    return [*said, *filter(None, [kinds_note(story)])]


def _is_again(call: CallFact) -> bool:
    return call.label in SHOWN and call.boundary is not None


def _axis(found: Frame) -> Panel:
    texts = "".join(_time_labels(found) if isinstance(found.places, TimeAxis) else _turn_labels(found))
    return Panel(AXIS_HEIGHT, element("g", texts, class_="axis", fill="#52606d", font_size=10.5))


def _turn_labels(found: Frame) -> Iterator[str]:
    turns = found.story.main_turns
    yield label(4, 2, "turn")
    most = 5 if found.is_narrow else 12
    step = next(step for step in STEPS if len(turns) <= step * most)
    for turn in turns:
        if turn.turn % step == 0 or (turn.turn == 1 and step != 2):
            x = found.x(found.places.of_turn(turn.thread, turn.turn))
            yield label(x, 2, str(turn.turn), text_anchor="middle")


def _time_labels(found: Frame) -> Iterator[str]:
    assert isinstance(found.places, TimeAxis)
    most = 3 if found.is_narrow else 8
    yield label(4, 2, "time")
    for part in range(most + 1):
        x = found.left + (found.width - found.left - 10) * part / most
        text = figures.span(found.places.span_us * part // most) if part else "0"
        yield label(x, 2, text, text_anchor="end" if part == most else "middle" if part else "start")


def _legend(found: Frame, y: float) -> tuple[str, float]:
    """Marks, arcs and parts of the cost in rows; with their height."""
    x, row, texts = 14.0, 0, []
    for sign, meaning in legend(found.story):
        room = len(meaning) * 6.0 + 26
        if x + room > found.width:
            x, row = 14.0, row + 1
        texts.append(
            element("g", sign, label(9, 3.5, meaning, fill="#1f2933", font_size=10.5),
                    transform=f"translate({number(x)} {number(y + row * LINE)})")
        )  # fmt: skip
        x += room
    return element("g", *texts, class_="legend"), (row + 1) * LINE + 6
