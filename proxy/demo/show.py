"""The demo's timeline, from what the product found; every number comes out of the store."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from proxy.ledger.bill import Bill, ThreadBook
from proxy.model.facts import BoundaryFact, CallFact, IterationFact, Label, SessionFact, TurnFact
from proxy.store import Reader

BAR_TOKENS = 3_000
"""One block of the context bar."""
WHAT_WIDTH, FOUND_WIDTH = 38, 30

HEAD = (
    "compaction-gate demo · SIMULATED: a scripted model; agent, tools, relay, journal, observer and store are real",
    "no key, no network",
)


class Played(NamedTuple):
    """Everything found about the demo's session."""

    session: SessionFact
    turns: Sequence[TurnFact]
    calls: Sequence[CallFact]
    boundaries: Sequence[BoundaryFact]
    bills: Sequence[Bill]


def found(reader: Reader) -> Played:
    """The demo's one session."""
    session = reader.session("last")
    own = session.session
    turns = sorted(reader.facts(TurnFact, session=own), key=lambda turn: turn.turn)
    calls, boundaries = reader.facts(CallFact, session=own), reader.facts(BoundaryFact, session=own)
    book = ThreadBook(turns, reader.facts(IterationFact, session=own), calls)
    return Played(session, turns, calls, boundaries, book.bills(boundaries))


def lines(played: Played, *, bill_lines: Callable[[Bill], list[str]]) -> Iterator[str]:
    """The whole picture, line by line."""
    yield from HEAD
    yield ""
    yield f"One session, one compaction · {played.session.source} · tokens of results are reference tokens"
    yield from _timeline(played)
    for bill in played.bills:
        yield ""
        yield from (f"  {line}" for line in bill_lines(bill))


def _timeline(played: Played) -> Iterator[str]:
    crossed = {boundary.turn: boundary for boundary in played.boundaries}
    for turn in played.turns:
        if boundary := crossed.get(turn.turn):
            yield _crossing(boundary)
        if turn.purpose == "summary":
            yield _row(turn, "asks for a summary of its history", "")
            continue
        calls = [call for call in played.calls if call.turn == turn.turn]
        yield from (_row(turn, f"{call.tool} {_target(call)}", _outcome(call)) for call in calls)
        if not calls:
            yield _row(turn, "has nothing more to do", "")


def _row(turn: TurnFact, what: str, outcome: str) -> str:
    tokens = turn.context_tokens
    bar = "" if tokens is None else f"{tokens / 1000:5.1f}k {'▇' * max(1, round(tokens / BAR_TOKENS))}"
    return f"  turn {turn.turn:>2} {what:{WHAT_WIDTH}}{outcome:{FOUND_WIDTH}}▏{bar}"


def _crossing(boundary: BoundaryFact) -> str:
    before, after = (_k(tokens) for tokens in (boundary.tokens_before, boundary.tokens_after))
    dropped = f"{boundary.dropped_observations} observations left the model's view"
    return f"  ─────── compaction: {before} → {after} tokens · {dropped} ".ljust(WHAT_WIDTH + FOUND_WIDTH + 24, "─")


def _k(tokens: int | None) -> str:
    return "not measured" if tokens is None else f"{tokens / 1000:.1f}k"


def _target(call: CallFact) -> str:
    if call.action == "search":
        return f'"{call.span.partition("=")[2]}"'
    return f"{call.resource}:{call.span}" if call.span else call.resource


def _outcome(call: CallFact) -> str:
    tokens = f"{call.reread_tokens_ref or 0:,} tok"
    match call.label:
        case Label.REACQUISITION:
            return f"RE-READ exact  {tokens}"
        case Label.SUBSET | Label.SUPERSET | Label.OVERLAP | Label.VARIANT:
            return f"RE-READ in part  {tokens}"
        case Label.REFRESH:
            return "refresh: it had changed"
        case Label.REPEAT_VISIBLE:
            return "again, though still in view"
        case Label.ACQUISITION if call.result_tokens_ref is not None:
            return f"{call.result_tokens_ref:,} tokens"
        case _:
            return {True: "failed", False: "passed"}[call.is_error] if call.action == "run" else ""


def closing(data: str, *, folder: str = "") -> list[str]:
    """What to type next; each of these commands exists. `folder` holds them, where PATH does not."""
    found = [f'    export PATH="{folder}:$PATH"        once per terminal: it does not find the command yet']
    return [
        "Now on your own work; we send nothing of our own:",
        *(found if folder else []),
        "    compaction-gate wrap -- claude        watch one agent live, through a relay of its own",
        "    compaction-gate status                is it seeing my traffic?",
        f"    compaction-gate --data {data} session last        this session again, as any other",
    ]
