"""Agents that compact by themselves: each in its own way, with what it dropped needed once more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proxy.scripted.actions import Edit, Finish, Read
from proxy.scripted.script import Need, Script, Step
from tests.clients.scenario import Kind, Scenario, Talk, lines
from tests.clients.scenarios.reading import DONE

FILES = {f"{name}.txt": lines(f"{name} {'x' * 60}", 100) for name in "abcdef"}
CLIENT, PROVIDER = ("client", "auto"), ("provider-compaction", "")


def _reads(folder: Path) -> tuple[Step, ...]:
    return tuple(Step(do=(Read(str(folder / name)),)) for name in FILES)


def _end(folder: Path) -> Step:
    return replace(DONE, needs=(Need(path=str(folder / "a.txt"), shows=FILES["a.txt"].splitlines()[10]),))


def _at_once(folder: Path) -> tuple[Script, ...]:
    return (Script(name="long", steps=(*_reads(folder), _end(folder))),)


def _in_two(folder: Path) -> tuple[Script, ...]:
    return (Script(name="long", steps=(*_reads(folder), DONE)), Script(name="again", steps=(_end(folder),)))


COMPACTED = Scenario(
    name="compacted",
    why="the client has its history summarised; what the summary lost is read again, once",
    files=FILES,
    scripts=_at_once,
    talks=(Talk(prompts=("Look at all of it [script long]",)),),
    labels={"long.0.a0": "acquisition"},
    needed=1,
    clients=frozenset({Kind.CODEX, Kind.OPENCODE, Kind.OPENHANDS, Kind.LANGCHAIN}),
    without=("WebSocket",),
    boundaries=(CLIENT,),
    compacts=True,
    both_doors=True,
)

BY_PROVIDER = replace(
    COMPACTED,
    name="provider-compacts",
    why="the provider compacts for the client and answers with an item, of which a sealed one shows nothing",
    clients=frozenset({Kind.CODEX, Kind.PYDANTIC_AI}),
    without=("HTTP", " chat", " gemini"),
    boundaries=(PROVIDER,),
)

BETWEEN_RUNS = replace(
    COMPACTED,
    name="compacted-between",
    why="the framework has its provider compact between two prompts, by a request of its own",
    scripts=_in_two,
    talks=(Talk(prompts=("Look at all of it [script long]", "Now go on [script again]")),),
    clients=frozenset({Kind.AGENTS_SDK}),
    without=(" chat",),
    # What follows the compaction shows another history.
    session="review-43",
    boundaries=(PROVIDER,),
)

RESUMED = replace(
    BETWEEN_RUNS,
    name="compacted-resumed",
    why="the client has its history summarised before it goes on with another prompt",
    clients=frozenset({Kind.GEMINI_CLI}),
    boundaries=(CLIENT,),
    # Its summarising calls show another system prompt, and what follows shows another history.
    session="review-42",
    threads=2,
    # It has its first summary criticised.
    summaries_each=2,
)


def _by_text(folder: Path) -> tuple[Script, ...]:
    edits = [Step(do=(Edit("a.txt", f"a line {at}\n", f"a line no. {at}\n"),)) for at in (1, 2, 3, 4)]
    return (Script(name="text", steps=(*edits, Step(do=(Finish("Done."),)))),)


BY_TEXT = Scenario(
    name="edits-as-text",
    why="a client without tools and ids: turns, usage and one session are found; there is nothing to class",
    files={"a.txt": lines("a", 10)},
    scripts=_by_text,
    talks=(Talk(prompts=("Change it [script text]", "Go on", "Go on", "Go on", "Go on")),),
    labels={},
    clients=frozenset({Kind.AIDER}),
    both_doors=True,
)
