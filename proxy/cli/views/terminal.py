"""What stands between traffic and a terminal: every page and every table passes here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps

from proxy.story.showable import clean_line


def for_terminal[**P](lines: Callable[P, Iterable[str]]) -> Callable[P, list[str]]:
    """Mark a function as a page: names out of traffic neither steer the terminal nor forge a line in it."""

    @wraps(lines)
    def cleaned(*args: P.args, **extra: P.kwargs) -> list[str]:
        return [clean_line(line) for line in lines(*args, **extra)]

    return cleaned
