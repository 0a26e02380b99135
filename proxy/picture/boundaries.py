"""A band through the whole picture at each compaction, and its label above."""

from __future__ import annotations

from collections.abc import Iterator

from proxy.ledger.bill import Bill
from proxy.picture.drawing import element, label
from proxy.picture.frame import Frame
from proxy.story import figures
from proxy.story.figures import shortened

LABEL_HEIGHT = 26
BAND, INK = "#d55e00", "#a34700"
CHARACTER, SIGN = 6.6, 12.0
"""Width of a letter of a label and of the sign before it, generously."""
MOST_TRIGGER = 10


def bands(frame: Frame, bottom: float) -> Iterator[str]:
    """Bands from under the labels to the bottom; where the page has bills, each leads to its own."""
    free_from = -1e9
    for number, bill in enumerate(frame.story.bills, start=1):
        x = frame.x(frame.places.of_boundary(bill.boundary))
        trigger = "" if frame.is_narrow else shortened(bill.boundary.trigger, MOST_TRIGGER)
        text = f"b{number} {trigger}".rstrip()
        room = len(text) * CHARACTER + SIGN
        start = min(x - 4, frame.width - room - 4)
        has_room = start >= free_from
        if has_room:
            free_from = start + max(room, 0 if frame.is_narrow else len(bill.boundary.kind) * 5.0) + 8
        yield _band(frame, f"b{number}", bill, x, bottom, _texts(frame, bill, text, start) if has_room else "")


def _texts(frame: Frame, bill: Bill, text: str, x: float) -> str:
    first = label(x, 11, f"\u25bc{text}", fill=INK, font_size=11, font_weight="bold")
    return first if frame.is_narrow else first + label(x, 22, bill.boundary.kind, fill=INK, font_size=9)


def _band(frame: Frame, name: str, bill: Bill, x: float, bottom: float, texts: str) -> str:
    width = max(min(frame.step * 0.7, 12), 5)
    top, height = LABEL_HEIGHT, bottom - LABEL_HEIGHT
    strip = element("rect", x=x - width / 2, y=top, width=width, height=height, fill=BAND, fill_opacity=0.13)
    line = element("line", x1=x, x2=x, y1=top, y2=bottom, stroke=BAND, stroke_width=1, stroke_dasharray="3 3")
    boundary = bill.boundary
    kind = " ".join(filter(None, (boundary.kind, boundary.trigger)))
    said = (
        f"compaction {name}: {kind}, before turn {boundary.turn}; "
        f"{figures.plural(boundary.dropped_observations, 'observation')} dropped, "
        f"measured cost {figures.usd(bill.measured_pico_usd)}"
    )
    if not frame.has_tips:
        return element("g", strip, line, texts, class_="band")
    wide = element("rect", x=x - 9, y=0, width=18, height=bottom, fill="#ffffff", fill_opacity=0)
    tip = f"{said.replace('; ', chr(10))}\nEnter or click: its bill"
    return element("a", wide, strip, line, texts, class_="band", href=f"#{name}", aria_label=said, data_tip=tip)
