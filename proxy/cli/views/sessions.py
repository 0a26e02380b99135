"""The list of sessions, the worst first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from proxy.cli.views.columns import aligned, for_terminal
from proxy.model.facts import SessionFact
from proxy.story import figures


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One session in one line."""

    session: SessionFact
    turns: int
    pico_usd: int | None
    """None when nothing was priced."""
    unpriced: int
    boundaries: int
    exact: int
    partial: int
    exact_tokens_ref: int
    partial_tokens_ref: int
    """Of exact and partial re-reads, which are never added (V4)."""
    calls: int
    unknown_calls: int
    looping: bool
    """Now."""
    looped_us: int | None = None
    """When the latest re-read of a loop was asked for; None when there was no loop."""

    @property
    def badness(self) -> tuple[bool, int, int, int, int]:
        """Worst first: loops, then tokens fetched again, exactly and in part, then compactions, then the latest."""
        return (
            self.looping,
            self.exact_tokens_ref,
            self.partial_tokens_ref,
            self.boundaries,
            self.session.last_us,
        )


@for_terminal
def sessions_lines(summaries: Sequence[Summary], *, zone: tzinfo | None = None) -> list[str]:
    """A table; `looping` is its own word."""
    head = (
        "session",
        "last active",
        "client",
        "turns",
        "cost",
        "compactions",
        "re-reads",
        "tokens",
        "unknown tools",
        "",
    )
    rows = [head, *(_row(summary, zone) for summary in sorted(summaries, key=lambda each: each.badness, reverse=True))]
    return aligned(rows, right=(3, 4, 5, 6, 7, 8))


def _row(summary: Summary, zone: tzinfo | None) -> tuple[str, ...]:
    session = summary.session
    cost = figures.usd(summary.pico_usd) if summary.pico_usd is not None else "not priced"
    return (
        session.session[:8],
        figures.moment(session.last_us, zone),
        " ".join(filter(None, (session.client or "unknown", session.client_version))),
        f"{summary.turns:,}",
        cost + (f" +{summary.unpriced} unpriced" if summary.unpriced and summary.pico_usd is not None else ""),
        str(summary.boundaries),
        _both(str(summary.exact), summary.partial, f"{summary.partial} partial"),
        _both(figures.short(summary.exact_tokens_ref), summary.partial, figures.short(summary.partial_tokens_ref)),
        figures.share(summary.unknown_calls, summary.calls),
        _loop(summary, zone),
    )


def _both(exact: str, partial: int, in_part: str) -> str:
    return f"{exact} + {in_part}" if partial else exact


def _loop(summary: Summary, zone: tzinfo | None) -> str:
    if summary.looping:
        return "looping"
    return "" if summary.looped_us is None else f"looped until {figures.moment(summary.looped_us, zone)}"
