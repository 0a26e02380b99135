"""Elements of SVG and HTML as text. Everything that traffic named is escaped here, and nowhere else."""

from __future__ import annotations

from html import escape

from proxy.story.showable import clean

Attribute = str | int | float | None


def words(text: str) -> str:
    """A text as the content of an element."""
    return escape(clean(text), quote=False)


def element(tag: str, *content: str, **attributes: Attribute) -> str:
    """An element with content that is markup already. `stroke_width` is `stroke-width`, `class_` is `class`."""
    said = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    inner = "".join(content)
    return f"<{tag}{said}>{inner}</{tag}>" if inner else f"<{tag}{said}/>"


def label(x: float, y: float, text: str, **attributes: Attribute) -> str:
    """A text in a picture."""
    return element("text", words(text), x=x, y=y, **attributes)


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _value(value: str | float) -> str:
    return number(value) if isinstance(value, int | float) else escape(clean(value), quote=True)
