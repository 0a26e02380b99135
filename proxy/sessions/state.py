"""What is remembered of a session between two exchanges, and its form on disk.

A state is kept in parts so that a turn rewrites only what it changed: one for the session, one per thread and one
per page of observations. Any observer can load them.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import orjson

from proxy.model.facts import InSummary, ToolClass
from proxy.model.ids import ObservationId, SessionId, ThreadId
from proxy.sessions.held import Histories, Size, Whole, load_held
from proxy.sessions.shelf import Shelf
from proxy.sessions.signs import of_reply
from proxy.sessions.thread import Asked, InView, Said, Seen, Signature, Thread

FORMAT = 1
PAGE = 64
"""Observations, or held histories, per part."""


@dataclass(slots=True)
class SessionState:
    """All threads and observations of one session."""

    session: SessionId
    threads: dict[ThreadId, Thread] = field(default_factory=dict)
    seen: dict[ObservationId, Seen] = field(default_factory=dict)
    histories: Histories = field(default_factory=Histories)
    first_us: int = 0
    door_effects: str = ""
    """What the client sent through its door, by its last main call."""
    labels: dict[str, str] = field(default_factory=dict)
    """The user's own labels, each as first said: figures must not move from one to another."""
    changed: set[str] = field(default_factory=set)
    """Parts to be written."""
    _shelves: dict[ThreadId, Shelf] = field(default_factory=dict, compare=False, repr=False)
    _places: dict[ObservationId, int] = field(default_factory=dict, compare=False, repr=False)

    def touch(self, thread: Thread) -> None:
        """Mark a thread for writing."""
        self.changed.add(f"thread/{thread.id}")

    def note(self, at_us: int, door_effects: str | None = None) -> None:
        """Take note of an exchange's time and, of a main call, what its client sent through the door."""
        known = (self.first_us, self.door_effects)
        self.first_us = self.first_us or at_us
        self.door_effects = self.door_effects if door_effects is None else door_effects
        if known != (self.first_us, self.door_effects):
            self.changed.add("session")

    def label(self, said: Mapping[str, str]) -> None:
        """Take in labels that are new."""
        if said.keys() - self.labels.keys():
            self.labels = {**said, **self.labels}
            self.changed.add("session")

    def add(self, seen: Seen) -> None:
        """Take in a new observation."""
        self.put(seen)
        self.changed.add(self._page(self._places[seen.id]))

    def put(self, seen: Seen) -> None:
        """Take in an observation that is stored."""
        self._places[seen.id] = len(self.seen)
        self.seen[seen.id] = seen
        self.shelf(seen.thread).put(seen)

    def shelf(self, thread: ThreadId) -> Shelf:
        """A thread's observations."""
        return self._shelves.setdefault(thread, Shelf())

    def shown_by(self, unit: bytes) -> Seen | None:
        """An observation of any thread that a result block of that digest showed."""
        return next((seen for shelf in self._shelves.values() for seen in shelf.shown_by(unit)), None)

    def touch_seen(self, ids: set[ObservationId]) -> None:
        """Mark the pages of some observations for writing."""
        self.changed.update(self._page(self._places[key]) for key in ids)

    def hold(self, whole: Whole, reply_id: str, thread: Thread, size: Size) -> None:
        """Remember the history that a reply of a thread stands for; `size` measures blocks in reference tokens."""
        reply, held = of_reply(reply_id), self.histories
        known = len(held.by_reply), len(held.doubtful)
        held.add(reply, thread.held, whole, size)
        thread.held = reply
        if len(held.by_reply) > known[0]:
            self.changed.add(f"held/{known[0] // PAGE:06d}")
        conversation = whole.request.conversation_id
        if conversation:
            held.conversations[of_reply(conversation)] = reply
        if conversation or len(held.doubtful) > known[1]:
            self.changed.add("session")

    def _page(self, index: int) -> str:
        return f"seen/{index // PAGE:06d}"

    def take_changes(self) -> dict[str, bytes]:
        """The changed parts as bytes; the marks are cleared."""
        parts = {name: self._part(name) for name in sorted(self.changed)}
        self.changed.clear()
        return parts

    def _part(self, name: str) -> bytes:
        kind, _, rest = name.partition("/")
        if kind == "session":
            body: object = {
                "first_us": self.first_us,
                "door_effects": self.door_effects,
                "labels": self.labels,
                "conversations": self.histories.conversations,
                "doubtful": self.histories.doubtful,
            }
        elif kind == "thread":
            body = self.threads[ThreadId(rest)]
        else:
            start = int(rest) * PAGE
            pages = self.seen.values() if kind == "seen" else self.histories.by_reply.items()
            body = list(islice(pages, start, start + PAGE))
        return orjson.dumps({"format": FORMAT, kind: body}, default=_plain)


def load(session: SessionId, parts: Mapping[str, bytes]) -> SessionState:
    """The state from its parts; an empty mapping is a new session."""
    state = SessionState(session)
    for name in sorted(parts):
        body = orjson.loads(parts[name])
        if "session" in body:
            state.first_us, state.door_effects = body["session"]["first_us"], body["session"]["door_effects"]
            state.labels = body["session"].get("labels", {})
            state.histories.conversations = body["session"]["conversations"]
            state.histories.doubtful = set(body["session"]["doubtful"])
        elif "thread" in body:
            thread = _thread(body["thread"])
            state.threads[thread.id] = thread
        elif "held" in body:
            state.histories.by_reply.update((reply, load_held(held)) for reply, held in body["held"])
        else:
            for row in body["seen"]:
                state.put(_seen(row))
    return state


def _plain(value: object) -> object:
    """What JSON does not know: bytes as text; sets sorted, so that equal states are equal bytes."""
    match value:
        case bytes():
            return b64encode(value).decode("ascii")
        case set():
            return sorted(value)
        case tuple():
            return list(value)
        case _:
            raise TypeError(f"a state holds no {type(value).__name__}")


def _seen(row: dict[str, Any]) -> Seen:
    for name in ("unit", "lines", "remaining"):
        row[name] = b64decode(row[name])
    row["tool_class"] = ToolClass(row["tool_class"])
    row["in_summary"] = InSummary(row["in_summary"]) if row["in_summary"] else None
    return Seen(**row)


def _thread(row: dict[str, Any]) -> Thread:
    for name in ("history", "reply", "sent"):
        row[name] = b64decode(row[name])
    for name in ("visible", "compactions", "demanded"):
        row[name] = set(row[name])
    row["signature"] = Signature(*row["signature"])
    row["in_view"] = InView(*row["in_view"]) if row["in_view"] else None
    row["asked"] = [_asked(entry) for entry in row["asked"]]
    if row["said"]:
        row["said"] = Said(**{**row["said"], "lines": b64decode(row["said"]["lines"])})
    return Thread(**row)


def _asked(row: dict[str, Any]) -> Asked:
    row["tool_class"] = ToolClass(row["tool_class"])
    row["texts"] = [b64decode(run) for run in row["texts"]]
    return Asked(**row)
