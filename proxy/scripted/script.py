"""The policy: scripts of steps whose needs must be visible before they are done.

A script is named by a marker in a prompt, `[script NAME]`; the calls it made carry script and step in their ids;
summaries, and answers to clients without tools, carry `[script NAME after N]`. Where the policy stands follows from
these alone, so it looks at nothing but the visible context: after a compaction it reads again what a step needs and no
longer sees, as a model would.
This shows arithmetic and wiring, not model behaviour (V45).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from proxy.scripted.actions import Action, Edit, Fault, Finish, Read, Run, Say, Think, ToolAction, Turn, Write
from proxy.scripted.view import View
from proxy.scripted.words import in_prose, in_words

NAME = re.compile(r"[a-z0-9-]+")
MARKER = re.compile(r"\[script (?P<name>[a-z0-9-]+)(?: after (?P<done>\d+))?\]")
CALL_ID = re.compile(r"toolu_(?P<name>[a-z0-9-]+)_(?P<step>\d+)_(?P<why>[anh])(?P<at>\d+)_[0-9a-f]+")
MARKER_OR_CALL = re.compile(r"\[script [a-z0-9-]+(?: after \d+)?\]|toolu_[a-z0-9-]+_\d+_[anh]\d+_[0-9a-f]+")
PATH_ARGUMENTS = ("file_path", "filePath", "path")
"""Arguments of the clients' tools that name a file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """Content that must be visible before a step is done."""

    path: str
    shows: str
    """A text that stands in the content; seeing it anywhere is seeing the content."""
    part: tuple[int, int] | None = None
    """The lines that hold it, for re-reads by another range."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One turn of the model."""

    do: tuple[Action, ...]
    """A turn without a tool call ends the script's work on this prompt."""
    needs: tuple[Need, ...] = ()
    fault: Fault | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What to do about one prompt."""

    name: str
    """Lower-case letters, digits, hyphens; stands in the prompt as `[script NAME]`."""
    steps: tuple[Step, ...]
    carries: tuple[str, ...] = ()
    """Sentences that a summary of this work keeps, verbatim."""

    @property
    def marker(self) -> str:
        """What a prompt says to have this script done."""
        return f"[script {self.name}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """What the policy does without need (V45). Shares of 0 to 1, drawn from the seed per step and need."""

    reread: float = 0.0
    """Read what a step needs although it is visible."""
    other_range: float = 0.0
    """Read only the part that is needed where a need knows it."""
    other_tool: float = 0.0
    """Use the shell where there is one."""


class Policy(Protocol):
    """Decides what the model does next."""

    def act(self, view: View, /) -> Turn:
        """The next turn."""
        ...

    def summarise(self, view: View, /) -> str:
        """The text that is to stand for everything visible."""
        ...


class Place(NamedTuple):
    """How far a script has come in the visible context."""

    name: str
    done: int
    asked: Mapping[tuple[str, int], int]
    """Reads already made for needs of the step in hand: (`n` need or `h` habit, need's place) to their number."""


@dataclass(frozen=True, slots=True)
class ScriptedPolicy:
    """Follows scripts."""

    scripts: tuple[Script, ...]
    habits: Habits
    seed: int

    def act(self, view: View, /) -> Turn:
        """The step in hand, or first a read of what it needs and does not see."""
        place = locate(view)
        script = self._script(place.name)
        if script is None or place.done >= len(script.steps):
            return Turn(blocks=(_text("There is nothing left to do."),), stop_reason="end_turn", label="")
        step = script.steps[place.done]
        label = f"{script.name}.{place.done}"
        for why, at, action in self._reads(view, step, place):
            if (call := _call(action, view, f"{script.name}_{place.done}_{why}{at}")) is not None:
                return Turn(blocks=(call,), stop_reason="tool_use", label=label, fault=step.fault)
        blocks = tuple(_blocks(step.do, view, f"{script.name}_{place.done}_a"))
        if not view.tools and place.done + 1 < len(script.steps):
            # No call can carry the place, and the work goes on with the client's next words.
            blocks = (*blocks, _text(f"[script {script.name} after {place.done + 1}]"))
        stop_reason = "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
        return Turn(blocks=blocks, stop_reason=stop_reason, label=label, fault=step.fault)

    def summarise(self, view: View, /) -> str:
        """Names what was worked on and how far it came, and carries what the script says it carries; no contents."""
        place = locate(view)
        script = self._script(place.name)
        touched = sorted({path for _, block in view.shown() for path in _paths(block)})
        lines = ["The work so far:", *(f"- {path}" for path in touched)]
        if script is not None:
            done = _done_by_telling(view, script, place.done)
            lines += [*script.carries, f"[script {script.name} after {done}]"]
        return "\n".join(lines)

    def _script(self, name: str) -> Script | None:
        return next((script for script in self.scripts if script.name == name), None)

    def _reads(self, view: View, step: Step, place: Place) -> Iterator[tuple[str, int, ToolAction]]:
        """Reads to make before the step: of unseen needs (once by each tool, never for ever), then by habit."""
        for at, need in enumerate(step.needs):
            tried = place.asked.get(("n", at), 0)
            shell = Run(f"cat {need.path}")
            key = f"{place.name}.{place.done}.{at}"
            if not view.shows(need.shows):
                by_shell_first = self._draw("tool", key) < self.habits.other_tool
                ways = (shell, self._read(need, key)) if by_shell_first else (self._read(need, key), shell)
                # Where reading goes through the shell anyway, there is no other way.
                same = in_words(ways[0], view.tools) == in_words(ways[1], view.tools)
                yield from (("n", at, way) for way in ways[tried : 1 if same else 2])
            elif not tried and not place.asked.get(("h", at)) and self._draw("habit", key) < self.habits.reread:
                yield "h", at, self._read(need, key)

    def _read(self, need: Need, key: str) -> Read:
        if need.part is not None and self._draw("range", key) < self.habits.other_range:
            return Read(need.path, *need.part)
        return Read(need.path)

    def _draw(self, what: str, key: str) -> float:
        """A number in [0, 1) that only seed and place decide."""
        digest = hashlib.sha256(f"{self.seed}/{what}/{key}".encode()).digest()
        return int.from_bytes(digest[:8]) / 2**64


def locate(view: View) -> Place:
    """Where the visible context says the work stands: the last marker, and the calls made since.

    A client that has its history summarised may show it as one text; calls are then found by their ids in it.
    """
    place = Place("", 0, {})
    for role, block in view.shown():
        kind = block.get("type")
        if kind == "tool_use":
            place = _after_call(place, CALL_ID.fullmatch(str(block.get("id", ""))))
        elif kind == "compaction" or (kind != "tool_result" and role != "assistant"):
            place = _after_text(place, str(block.get("text") or block.get("content") or ""))
        elif kind == "text":
            place = _after_own_words(place, str(block.get("text", "")))
    return place


def _after_text(place: Place, text: str) -> Place:
    for found in MARKER_OR_CALL.finditer(text):
        mark = MARKER.fullmatch(found[0])
        if mark is not None:
            place = Place(mark["name"], int(mark["done"] or 0), {})
        else:
            place = _after_call(place, CALL_ID.fullmatch(found[0]))
    return place


def _after_own_words(place: Place, text: str) -> Place:
    """The model's own words tell how far it came (some clients keep a summary as its answer), and begin nothing."""
    marks = [mark for mark in MARKER.finditer(text) if mark["done"]]
    return Place(marks[-1]["name"], int(marks[-1]["done"]), {}) if marks else place


def _done_by_telling(view: View, script: Script, done: int) -> int:
    """Steps done by a history that a client shows as one text: those whose calls stand in it, in order."""
    if any(block.get("type") == "tool_use" for _, block in view.shown()):
        return done
    text = "\n".join(view.prompts())
    at = text.rfind(script.marker) + 1
    for step in script.steps[done:]:
        for action in step.do:
            found = re.compile(rf'{re.escape(_told_by(action))}\\*"').search(text, at)
            if found is None:
                return done
            at = found.end()
        done += 1
    return done


def _told_by(action: Action) -> str:
    """What the arguments of an action's call end with, whatever tool was asked."""
    match action:
        case Read(path) | Edit(path) | Write(path):
            return path
        case Run(command):
            return command
    return ""


def _after_call(place: Place, call: re.Match[str] | None) -> Place:
    if call is None or call["name"] != place.name:
        return place
    step, key = int(call["step"]), (call["why"], int(call["at"]))
    if call["why"] == "a":
        return Place(place.name, max(place.done, step + 1), {})
    if step != place.done:
        return place
    return place._replace(asked={**place.asked, key: place.asked.get(key, 0) + 1})


def _blocks(actions: tuple[Action, ...], view: View, prefix: str) -> Iterator[Mapping[str, Any]]:
    for at, action in enumerate(actions):
        match action:
            case Say(text):
                yield _text(text)
            case Think(text):
                yield {"type": "thinking", "thinking": text, "signature": hashlib.sha256(text.encode()).hexdigest()}
            case _:
                yield _call(action, view, f"{prefix}{at}") or _text(_instead(action, view))


def _instead(action: ToolAction, view: View) -> str:
    """What is said for want of a tool."""
    if isinstance(action, Finish) or not view.tools:
        return in_prose(action)
    return f"No tool is offered for {type(action).__name__}."


def _call(action: ToolAction, view: View, place: str) -> Mapping[str, Any] | None:
    words = in_words(action, view.tools)
    if words is None:
        return None
    return {"type": "tool_use", "id": f"toolu_{place}", "name": words.name, "input": words.arguments}


def _text(text: str) -> Mapping[str, Any]:
    return {"type": "text", "text": text}


def _paths(block: Mapping[str, Any]) -> Iterator[str]:
    if block.get("type") == "tool_use":
        arguments = block.get("input") or {}
        yield from (str(arguments[name]) for name in PATH_ARGUMENTS if name in arguments)
