"""Sessions whose calls name their observations, so that arcs have two ends."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.model.facts import Label, ToolClass, TurnFact
from proxy.model.ids import ObservationId
from tests.support.stories import Telling, reads, rereads, unknown, writes

HOSTILE = "<script>alert(1)</script>\"'&\u202e\x1b]]>"


DROPPED_FIRST = {"a": "main/1.0", "b": "main/1.1", "c": "main/1.2"}
"""Names that `Telling.boundary` gives to what it drops first."""


def made(name: str) -> dict[str, Any]:
    """A read whose answer became this observation."""
    return {**reads(f"src/{name}.py"), "observation": _observation(name)}


def again(name: str, tokens: int = 500, label: Label = Label.REACQUISITION, boundary: int = 1) -> dict[str, Any]:
    """A re-read of that observation."""
    return {**rereads(f"src/{name}.py", tokens, label, boundary), "repeats": _observation(name)}


def _observation(name: str) -> ObservationId:
    return ObservationId(DROPPED_FIRST.get(name, name))


def a_pictured_session() -> Telling:
    """Two compactions, four re-reads (three exact, one partial), every other class of call once, and a sub-agent."""
    told = Telling()
    told.turn(4_000, made("a"), cached=0, cache_miss="cold")
    told.turn(9_000, made("b"), made("c"), cached=4_000)
    told.turn(5_000, made("d"), thread="agent:1", cached=0)
    told.turn(30_000, writes("src/a.py"), {"tool": "Bash", "action": "run", "tool_class": ToolClass.EXECUTION,
              "label": Label.NOT_RETRIEVAL}, cached=9_000)  # fmt: skip
    told.turn(31_000, purpose="summary", cached=30_000)
    told.boundary(("src/a.py", 1_200), ("src/b.py", 2_300), ("src/c.py", 900), summary_writer=told.writer,
                  summary_number=5, summary_part=0)  # fmt: skip
    told.after(8_000)
    told.turn(8_000, again("b", 2_300), cached=0, cache_miss="compaction")
    told.turn(11_000, again("a", 1_200), again("c", 400, Label.SUBSET), cached=8_000)
    told.turn(12_000, {**reads("src/a.py"), "label": Label.REFRESH}, unknown(), cached=11_000)
    told.turn(13_000, {**reads("src/a.py"), "label": Label.REPEAT_VISIBLE}, cached=12_000)
    told.turn(13_500, again("b", 30, Label.ATTEMPTED), cached=13_000)
    told.turn(13_600, again("b", 30, Label.FORCED), cached=13_000)
    told.boundary(("src/e.py", 100), trigger="manual")
    told.after(7_000)
    told.turn(7_000, again("b", 2_300, boundary=2), cached=0, cache_miss="compaction")
    told.turn(7_500, cached=7_000)
    told.turns = list(map(_with_kinds, told.turns))
    return told


def _with_kinds(turn: TurnFact) -> TurnFact:
    """What its context held beside tool results: the same system and tools, more and more texts, then a summary."""
    summary = 700 if turn.thread == "main" and turn.turn > 4 else 0
    return replace(
        turn,
        system_tokens_ref=900,
        tools_tokens_ref=1_500,
        said_tokens_ref=150 * turn.turn + summary,
        summary_tokens_ref=summary,
    )


def a_hostile_session() -> Telling:
    """Tools and paths that would be markup."""
    told = Telling(client=HOSTILE, client_version="")
    told.turn(1_000, {**made("a"), "tool": HOSTILE, "resource": HOSTILE, "span": HOSTILE})
    told.boundary((HOSTILE, 10), evidence=HOSTILE, trigger=HOSTILE)
    told.turn(500, {**again("a"), "tool": HOSTILE, "resource": HOSTILE})
    return told


def a_long_session(turns: int = 2_000) -> Telling:
    """Many turns of three calls, a compaction every 250, re-reads after each; and six sub-agents."""
    told = Telling()
    context, boundary = 4_000, 0
    for place in range(turns):
        calls = [made(f"f{place}.{index}") for index in range(3)]
        if boundary and place % 250 < 60:
            calls.append(again(f"f{boundary * 250 - 100 + place % 40}.1", 600, boundary=boundary))
        told.turn(context, *calls, cached=context * 9 // 10)
        context += 700
        if place % 250 == 249:
            told.boundary(*((f"src/f{place}.{index}.py", 300) for index in range(90)))
            boundary, context = boundary + 1, 12_000
            told.after(context)
        if place % 40 == 5:
            told.turn(9_000, made(f"g{place}"), thread=f"agent:{place % 6}", cached=0)
    return told
