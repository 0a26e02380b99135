"""Sessions and threads: sub-agents, continued, cleared and rewound sessions. None of these is a compaction."""

from __future__ import annotations

from pathlib import Path

from proxy.scripted.actions import Delegate, Read, Run
from proxy.scripted.script import Script, Step
from tests.clients.scenario import AGENTS, FRAMEWORKS, REPEAT, Kind, Scenario, Talk
from tests.clients.scenarios.reading import DONE, FILES


def _sub_agent(folder: Path) -> tuple[Script, ...]:
    read = Step(do=(Read(str(folder / "a.txt")),))
    # The wait keeps the main thread alive until a sub-agent that runs beside it has ended.
    wait = Step(do=(Run("sleep 2"),))
    parent = Script(name="parent", steps=(read, Step(do=(Delegate("Look at it [script child]"),)), wait, read, DONE))
    return (parent, Script(name="child", steps=(read, read, DONE)))


SUB_AGENT = Scenario(
    name="sub-agent",
    why="a sub-agent's reads are its own: what the parent saw is not visible to it",
    files=FILES,
    scripts=_sub_agent,
    talks=(Talk(prompts=("Have it looked at [script parent]",)),),
    labels={
        "parent.0.a0": "acquisition",
        "child.0.a0": "acquisition",
        "child.1.a0": REPEAT,
        "parent.3.a0": REPEAT,
    },
    threads=2,
)


def _two_prompts(folder: Path) -> tuple[Script, ...]:
    a, b = (Step(do=(Read(str(folder / name)),)) for name in ("a.txt", "b.txt"))
    return (Script(name="first", steps=(a, DONE)), Script(name="second", steps=(b, a, DONE)))


CONTINUED = Scenario(
    name="continue",
    why="a second process takes the session up; what the first one read is in view, and neither version answers a stub",
    files=FILES,
    scripts=_two_prompts,
    talks=(Talk(prompts=("[script first]",)), Talk(prompts=("[script second]",), continues=True)),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition", "second.1.a0": "repeat_visible"},
)

TAKEN_UP = Scenario(
    name="taken-up",
    why="the conversation goes on with another prompt: what was read before is in view, in the same session",
    files=FILES,
    scripts=_two_prompts,
    talks=(Talk(prompts=("[script first]", "[script second]")),),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition", "second.1.a0": "repeat_visible"},
    clients=FRAMEWORKS | {Kind.CODEX, Kind.OPENCODE, Kind.GEMINI_CLI, Kind.OPENHANDS},
)

TWO = Scenario(
    name="two",
    why="two conversations are two sessions, also of clients that name none; the second one's reads are its first",
    files=FILES,
    scripts=_two_prompts,
    talks=(Talk(prompts=("[script first]",)), Talk(prompts=("[script second]",))),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition", "second.1.a0": "acquisition"},
    clients=AGENTS,
    threads=2,
)

NAMED = Scenario(
    name="named",
    why="the lines of the docs name the session: two conversations of one name are one session",
    files=FILES,
    scripts=_two_prompts,
    talks=(Talk(prompts=("[script first]",)), Talk(prompts=("[script second]",))),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition"},
    clients=FRAMEWORKS | {Kind.OPENHANDS, Kind.LITELLM, Kind.MINI_SWE_AGENT},
    without=(
        "messages",
        "gemini",
        "openhands 1.58.2 responses",
        "chat streamed",
        "agents-sdk 0.24.0 chat",
        "pydantic-ai 2.68.0 chat",
    ),
    threads=2,
    session="review-42",
)

CLEARED = Scenario(
    name="clear",
    why="`/clear` starts another session; nothing of the old one is a re-read in it",
    files=FILES,
    scripts=_two_prompts,
    talks=(Talk(prompts=("[script first]", "/clear", "[script second]")),),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition", "second.1.a0": "acquisition"},
    threads=2,
)


def _three_prompts(folder: Path) -> tuple[Script, ...]:
    b = Step(do=(Read(str(folder / "b.txt")),))
    return (*_two_prompts(folder), Script(name="third", steps=(b, DONE)))


REWOUND = Scenario(
    name="rewind",
    why="the history is cut back to an earlier answer: no boundary, though less is in view",
    files=FILES,
    scripts=_three_prompts,
    talks=(
        Talk(prompts=("[script first]", "[script second]")),
        Talk(prompts=("[script third]",), rewind_to=2),
    ),
    labels={"first.0.a0": "acquisition", "second.0.a0": "acquisition"},
)
