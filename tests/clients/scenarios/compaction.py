"""Compactions: by hand and automatic, by the client and by the provider, and the re-reads after them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from proxy.scripted.actions import Read, Run
from proxy.scripted.script import Need, Script, Step
from tests.clients.scenario import REPEAT, Kind, Label, Scenario, Talk, lines
from tests.clients.scenarios.reading import DONE

FILES = {f"{name}.txt": lines(name, 30) for name in "abcdefgh"}


def _needs(folder: Path, names: Iterable[str]) -> tuple[Need, ...]:
    return tuple(Need(path=str(folder / name), shows=FILES[name].splitlines()[10]) for name in names)


def _manual(folder: Path) -> tuple[Script, ...]:
    reads = [Step(do=(Read(str(folder / name)),)) for name in FILES]
    before = Script(name="before", steps=(*reads, reads[0], DONE))
    # The client puts five of the eight files back by itself; the others are read again.
    return (before, Script(name="after", steps=(replace(DONE, needs=_needs(folder, FILES)),)))


BEFORE: Mapping[str, Label] = {**{f"before.{at}.a0": "acquisition" for at in range(8)}, "before.8.a0": REPEAT}

MANUAL = Scenario(
    name="compact-manual",
    why="`/compact`: what the client did not put back is read again, each file a reacquisition, once",
    files=FILES,
    scripts=_manual,
    talks=(Talk(prompts=("[script before]", "/compact", "[script after]")),),
    labels=BEFORE,
    needed=3,
    boundaries=(("client", "manual"),),
)

CONTINUED = Scenario(
    name="compact-continue",
    why="compacted in one process, taken up in another",
    files=FILES,
    scripts=_manual,
    talks=(
        Talk(prompts=("[script before]",)),
        Talk(prompts=("/compact",), continues=True),
        Talk(prompts=("[script after]",), continues=True),
    ),
    labels=BEFORE,
    needed=3,
    boundaries=(("client", "manual"),),
)


def _put_back(folder: Path) -> tuple[Script, ...]:
    read = Step(do=(Read(str(folder / "a.txt")),))
    return (Script(name="before", steps=(read, read, DONE)), Script(name="after", steps=(read, DONE)))


PUT_BACK = Scenario(
    name="compact-put-back",
    why="a file that the client itself put back after `/compact` is no reacquisition when it is read again",
    files={"a.txt": FILES["a.txt"]},
    scripts=_put_back,
    talks=(Talk(prompts=("[script before]", "/compact", "[script after]")),),
    labels={"before.0.a0": "acquisition", "before.1.a0": REPEAT, "after.0.a0": REPEAT},
    boundaries=(("client", "manual"),),
)


def _partly(folder: Path) -> tuple[Script, ...]:
    path = str(folder / "a.txt")
    # The client puts back what `cat` printed as well, yet not what came through a pipe.
    cat = Step(do=(Run(f"cat {path} | head -n 100"),))
    part = Step(do=(Read(path, 5, 9),))
    return (Script(name="before", steps=(cat, DONE)), Script(name="after", steps=(part, cat, part, DONE)))


PARTLY = Scenario(
    name="compact-partly",
    why="after `/compact` a part by another tool, then the whole, then the part again, which is now in view",
    files={"a.txt": FILES["a.txt"]},
    scripts=_partly,
    talks=(Talk(prompts=("[script before]", "/compact", "[script after]")),),
    labels={"before.0.a0": "acquisition", "after.0.a0": "subset", "after.1.a0": "reacquisition", "after.2.a0": REPEAT},
    boundaries=(("client", "manual"),),
)

# Files over about 14 kB would be shown in part by 2.1.332.
BULK = {f"bulk{number}.txt": lines(f"bulk{number} " + "y" * 55, 160) for number in (1, 2, 3)}
LARGE = {"a.txt": lines("a " + "x" * 60, 100), **BULK, "c.txt": lines("c", 10)}


def _automatic(folder: Path) -> tuple[Script, ...]:
    a, *bulk, c = (Step(do=(Read(str(folder / name)),)) for name in LARGE)
    # The turn that asks for c has reported a context over the limit: the client compacts before its next request.
    again = replace(a, needs=(Need(path=str(folder / "a.txt"), shows=LARGE["a.txt"].splitlines()[10]),))
    return (Script(name="auto", steps=(a, a, *bulk, c, again, DONE)),)


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
        "auto.6.a0": REPEAT,
    },
    needed=1,
    boundaries=(("client", "auto"),),
    environment={"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000"},
    large_context=True,
)


def _provider_side(folder: Path) -> tuple[Script, ...]:
    reads = [Step(do=(Read(str(folder / f"{name}.txt")),)) for name in "bcde"]
    return (Script(name="remote", steps=(*reads, reads[0], DONE)),)


PROVIDER_CLEAR = Scenario(
    name="provider-clear",
    why="the provider clears the oldest tool results, and one more a turn later; the client's history does not change",
    files=FILES,
    scripts=_provider_side,
    talks=(Talk(prompts=("[script remote]",)),),
    labels={"remote.0.a0": "acquisition", "remote.4.a0": "reacquisition"},
    clients=frozenset({Kind.SDK}),
    boundaries=(("provider-clear", ""), ("provider-clear", "")),
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
    files=FILES,
    scripts=_provider_side,
    talks=(Talk(prompts=("[script remote]",)),),
    labels={"remote.0.a0": "acquisition", "remote.4.a0": "reacquisition"},
    clients=frozenset({Kind.SDK}),
    boundaries=(("provider-compaction", ""),),
    extra_body={
        "context_management": {
            "edits": [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 600}}]
        }
    },
)
