"""Compactions: by hand and automatic, by the client and by the provider, and the re-reads after them."""

from __future__ import annotations

from pathlib import Path

from proxy.scripted.actions import Read
from proxy.scripted.script import Script, Step
from tests.clients.scenario import REPEAT, Kind, Label, Scenario, Talk, lines
from tests.clients.scenarios.reading import DONE

PUT_BACK: Label = REPEAT
"""A file whose content the client itself put back after the compaction: a stub from 2.1.197, a copy in view else."""

SMALL = {f"{name}.txt": lines(name, 30) for name in "abcdefgh"}


def _manual(folder: Path) -> tuple[Script, ...]:
    reads = [Step(do=(Read(str(folder / name)),)) for name in SMALL]
    before = Script(name="before", steps=(*reads, reads[0], DONE))
    # a was read first and is not put back; h was read last and is.
    return (before, Script(name="after", steps=(reads[0], reads[-1], reads[0], DONE)))


MANUAL = Scenario(
    name="compact-manual",
    why="`/compact`: the file read again after it is a reacquisition, once; one the client put back is not",
    files=SMALL,
    scripts=_manual,
    talks=(Talk(prompts=("[script before]", "/compact", "[script after]")),),
    labels={
        **{f"before.{at}.a0": "acquisition" for at in range(8)},
        "before.8.a0": REPEAT,
        "after.0.a0": "reacquisition",
        "after.1.a0": PUT_BACK,
        "after.2.a0": REPEAT,
    },
    boundaries=(("client", "manual"),),
)

CONTINUED = Scenario(
    name="compact-continue",
    why="compacted in one process, taken up in another",
    files=SMALL,
    scripts=_manual,
    talks=(
        Talk(prompts=("[script before]",)),
        Talk(prompts=("/compact",), continues=True),
        Talk(prompts=("[script after]",), continues=True),
    ),
    labels={"before.8.a0": REPEAT, "after.0.a0": "reacquisition", "after.2.a0": REPEAT},
    boundaries=(("client", "manual"),),
)

# Files over about 14 kB would be shown in part by 2.1.332.
BULK = {f"bulk{number}.txt": lines(f"bulk{number} " + "y" * 55, 160) for number in (1, 2, 3)}
LARGE = {"a.txt": lines("a " + "x" * 60, 100), **BULK, "c.txt": lines("c", 10)}


def _automatic(folder: Path) -> tuple[Script, ...]:
    a, *bulk, c = (Step(do=(Read(str(folder / name)),)) for name in LARGE)
    # The turn that asks for c has reported a context over the limit: the client compacts before its next request.
    return (Script(name="auto", steps=(a, a, *bulk, c, a, a, DONE)),)


AUTOMATIC = Scenario(
    name="compact-auto",
    why="the client compacts by itself; the newest call and its result stay in view",
    files=LARGE,
    scripts=_automatic,
    talks=(Talk(prompts=("[script auto]",)),),
    labels={
        "auto.0.a0": "acquisition",
        "auto.1.a0": REPEAT,
        "auto.2.a0": "acquisition",
        "auto.5.a0": "acquisition",
        "auto.6.a0": "reacquisition",
        "auto.7.a0": REPEAT,
    },
    boundaries=(("client", "auto"),),
    environment={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000"},
    large_context=True,
)


def _provider_side(folder: Path) -> tuple[Script, ...]:
    reads = [Step(do=(Read(str(folder / f"{name}.txt")),)) for name in "abcd"]
    return (Script(name="remote", steps=(*reads, reads[0], DONE)),)


PROVIDER_CLEAR = Scenario(
    name="provider-clear",
    why="the provider clears the oldest tool results; the client's history does not change",
    files=SMALL,
    scripts=_provider_side,
    talks=(Talk(prompts=("[script remote]",)),),
    labels={"remote.0.a0": "acquisition", "remote.4.a0": "reacquisition"},
    clients=frozenset({Kind.SDK}),
    boundaries=(("provider-clear", ""),),
    extra_body={
        "context_management": {
            "edits": [
                {
                    "type": "clear_tool_uses_20250919",
                    "trigger": {"type": "tool_uses", "value": 3},
                    "keep": {"type": "tool_uses", "value": 2},
                }
            ]
        }
    },
)

PROVIDER_COMPACTION = Scenario(
    name="provider-compaction",
    why="the provider compacts on the way: one request, two samplings, a compaction block",
    files=SMALL,
    scripts=_provider_side,
    talks=(Talk(prompts=("[script remote]",)),),
    labels={"remote.0.a0": "acquisition", "remote.4.a0": "reacquisition"},
    clients=frozenset({Kind.SDK}),
    boundaries=(("provider-compaction", ""),),
    extra_body={
        "context_management": {
            "edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 700}}]
        }
    },
)
