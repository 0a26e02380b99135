"""One shape and one colour for each mark: the colours are Okabe and Ito's, and no two marks share a shape."""

from __future__ import annotations

from typing import NamedTuple

EDGE = "#1f2933"


class Shape(NamedTuple):
    """How one mark looks, around the point (0, 0), 7 pixels wide."""

    name: str
    """As a CSS class."""
    path: str
    fill: str
    stroke: str = EDGE


SHAPES: dict[str, Shape] = {
    "R": Shape("exact", "M0-4.2L4.2 0 0 4.2-4.2 0Z", "#d55e00"),
    "p": Shape("partial", "M0-4.2L4.2 0H-4.2ZM-4.2 0 0 4.2 4.2 0", "#f5b041"),
    "a": Shape("attempted", "M-3.8-3.2H3.8L0 3.8Z", "#f0e442"),
    "f": Shape("forced", "M-3.8 3.2H3.8L0-3.8Z", "#f0e442"),
    "S": Shape("summary", "M0-4.4 1.2-1.2 4.4 0 1.2 1.2 0 4.4-1.2 1.2-4.4 0-1.2-1.2Z", "#111111", "#111111"),
    "w": Shape("write", "M-3-3H3V3H-3Z", "#009e73"),
    "u": Shape("refresh", "M-3.6 0A3.6 3.6 0 1 0 0-3.6V0Z", "#56b4e9"),
    "v": Shape(
        "visible",
        "M-3.4 0A3.4 3.4 0 1 0 3.4 0 3.4 3.4 0 1 0-3.4 0ZM-1.3 0A1.3 1.3 0 1 1 1.3 0 1.3 1.3 0 1 1-1.3 0Z",
        "#cc79a7",
    ),
    "r": Shape("read", "M-3.2 0A3.2 3.2 0 1 0 3.2 0 3.2 3.2 0 1 0-3.2 0Z", "#0072b2"),
    "x": Shape("run", "M-1.2-3.5H1.2V-1.2H3.5V1.2H1.2V3.5H-1.2V1.2H-3.5V-1.2H-1.2Z", "#7b8794"),
    "?": Shape(
        "unknown",
        "M-3.3-2.2-2.2-3.3 0-1.1 2.2-3.3 3.3-2.2 1.1 0 3.3 2.2 2.2 3.3 0 1.1-2.2 3.3-3.3 2.2-1.1 0Z",
        "#ffffff",
    ),
    "·": Shape("turn", "M-1.3 0A1.3 1.3 0 1 0 1.3 0 1.3 1.3 0 1 0-1.3 0Z", "#7b8794", "none"),
}
