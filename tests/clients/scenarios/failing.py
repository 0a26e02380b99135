"""A provider that fails first and answers then."""

from __future__ import annotations

from pathlib import Path

from proxy.scripted.actions import Fault, FaultKind, Read, Say
from proxy.scripted.script import Script, Step
from tests.clients.scenario import FRAMEWORKS, Kind, Scenario, Talk
from tests.clients.scenarios.reading import BOTH, DONE, FILES


def _overloaded(folder: Path) -> tuple[Script, ...]:
    fault = Fault(kind=FaultKind.STATUS, times=2, retry_after_s=0)
    return (Script(name="busy", steps=(Step(do=(Read(str(folder / "a.txt")),), fault=fault), DONE)),)


OVERLOADED = Scenario(
    name="529-retry",
    why="two tries answered 529 (or 503), the third answered well: one turn, three attempts",
    files=FILES,
    scripts=_overloaded,
    talks=(Talk(prompts=("Look at it [script busy]",)),),
    labels={"busy.0.a0": "acquisition"},
    clients=BOTH | FRAMEWORKS | {Kind.CODEX},
    # On a socket Codex gives up, and the `google-genai` SDK does so at once.
    without=("WebSocket", " gemini"),
)


def _broken(folder: Path) -> tuple[Script, ...]:
    error, cut = Fault(kind=FaultKind.STREAM_ERROR), Fault(kind=FaultKind.CUT)
    steps = (
        Step(do=(Read(str(folder / "a.txt")),), fault=error),
        Step(do=(Read(str(folder / "b.txt")),), fault=cut),
        Step(do=(Say("Done."),)),
    )
    return (Script(name="broken", steps=steps),)


BROKEN = Scenario(
    name="broken-streams",
    why="a stream that ends in an error, and one that is cut: the client asks again",
    files=FILES,
    scripts=_broken,
    talks=(Talk(prompts=("Look at both [script broken]",)),),
    labels={"broken.0.a0": "acquisition", "broken.1.a0": "acquisition"},
)
