"""Reading, repeating, editing, reading in part: no compaction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proxy.scripted.actions import Edit, Finish, Read, Run, Say, Think, Write
from proxy.scripted.script import Script, Step
from proxy.scripted.settings import Encoding
from tests.clients.scenario import AGENTS, REPEAT, WITH_SHELL, Kind, Scenario, Talk, lines

BOTH = frozenset({Kind.CLAUDE_CODE, Kind.SDK})
FILES = {"a.txt": lines("a", 40), "b.txt": lines("b", 40)}
DONE = Step(do=(Finish("Done."),))


def _read_twice(folder: Path) -> tuple[Script, ...]:
    read = Step(do=(Read(str(folder / "a.txt")),))
    return (Script(name="twice", steps=(read, read, DONE)),)


READ_TWICE = Scenario(
    name="read-twice",
    why="the same file again, unchanged and still in view",
    files=FILES,
    scripts=_read_twice,
    talks=(Talk(prompts=("Look at it [script twice]",)),),
    labels={"twice.0.a0": "acquisition", "twice.1.a0": REPEAT},
    clients=BOTH | AGENTS,
    both_doors=True,
)


GZIP = replace(
    READ_TWICE,
    name="gzip",
    why="compressed answers are read as well",
    encoding=Encoding.GZIP,
    clients=BOTH | {Kind.CODEX, Kind.GEMINI_CLI, Kind.PYDANTIC_AI},
    both_doors=False,
)
ZSTD = replace(
    READ_TWICE,
    name="zstd",
    why="so are answers in an encoding that few clients know",
    encoding=Encoding.ZSTD,
    clients=frozenset({Kind.CLAUDE_CODE}),
    both_doors=False,
)


def _read_edit_read(folder: Path) -> tuple[Script, ...]:
    path = str(folder / "a.txt")
    edit = Step(do=(Edit(path, "a line 3\n", "a line three\n"),))
    return (Script(name="edit", steps=(Step(do=(Read(path),)), edit, Step(do=(Read(path),)), DONE)),)


READ_EDIT_READ = Scenario(
    name="read-edit-read",
    why="the same file again after an edit",
    files=FILES,
    scripts=_read_edit_read,
    talks=(Talk(prompts=("Change it [script edit]",)),),
    labels={"edit.0.a0": "acquisition", "edit.2.a0": "refresh"},
    clients=WITH_SHELL | {Kind.CLAUDE_CODE},
)


def _read_write_read(folder: Path) -> tuple[Script, ...]:
    path = str(folder / "a.txt")
    write = Step(do=(Write(path, "new\n"),))
    return (Script(name="write", steps=(Step(do=(Read(path),)), write, Step(do=(Read(path),)), DONE)),)


READ_WRITE_READ = Scenario(
    name="read-write-read",
    why="the same file again after it was written whole",
    files=FILES,
    scripts=_read_write_read,
    talks=(Talk(prompts=("Change it [script write]",)),),
    labels={"write.0.a0": "acquisition", "write.2.a0": "refresh"},
    # Cline and OpenHands do not write over a file that is there.
    clients=BOTH | AGENTS - {Kind.CLINE, Kind.OPENHANDS},
)


def _partial(folder: Path) -> tuple[Script, ...]:
    path = str(folder / "a.txt")
    reads = (Read(path, 1, 20), Read(path, 11, 30), Read(path), Read(path, 5, 9))
    return (Script(name="parts", steps=(*(Step(do=(read,)) for read in reads), DONE)),)


PARTIAL = Scenario(
    name="partial",
    why="parts of a file that overlap, the whole of it, and a part again, all in view",
    files=FILES,
    scripts=_partial,
    talks=(Talk(prompts=("Look at parts [script parts]",)),),
    labels={
        "parts.0.a0": "acquisition",
        "parts.1.a0": "acquisition",
        "parts.2.a0": "acquisition",
        "parts.3.a0": "repeat_visible",
    },
    clients=BOTH | AGENTS,
)


def _parallel(folder: Path) -> tuple[Script, ...]:
    both = Step(do=(Read(str(folder / "a.txt")), Read(str(folder / "b.txt"))))
    return (Script(name="parallel", steps=(both, DONE)),)


PARALLEL = Scenario(
    name="parallel",
    why="two calls in one turn",
    files=FILES,
    scripts=_parallel,
    talks=(Talk(prompts=("Look at both [script parallel]",)),),
    labels={"parallel.0.a0": "acquisition", "parallel.0.a1": "acquisition"},
    clients=BOTH | AGENTS,
)


def _shell(folder: Path) -> tuple[Script, ...]:
    path = str(folder / "a.txt")
    cat = Step(do=(Run(f"cat {path}"),))
    return (Script(name="shell", steps=(cat, cat, DONE)),)


SHELL = Scenario(
    name="shell",
    why="the same file twice through the shell, which no client answers with a stub",
    files=FILES,
    scripts=_shell,
    talks=(Talk(prompts=("Look at it [script shell]",)),),
    labels={"shell.0.a0": "acquisition", "shell.1.a0": "repeat_visible"},
    clients=WITH_SHELL | {Kind.CLAUDE_CODE},
)


def _thinking(folder: Path) -> tuple[Script, ...]:
    read = Step(do=(Think("It is all in one file."), Say("Reading."), Read(str(folder / "a.txt"))))
    return (Script(name="think", steps=(read, Step(do=(Think("Enough."), Say("Done."))))),)


THINKING = Scenario(
    name="thinking",
    why="thinking, text and a call in one answer",
    files=FILES,
    scripts=_thinking,
    talks=(Talk(prompts=("Think about it [script think]",)),),
    labels={"think.0.a2": "acquisition"},
    clients=BOTH,
)
