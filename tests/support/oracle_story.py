"""An agent whose every move is shown to the journey on the wire, and told to the oracle as it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import orjson

from tests.support.journey import Client, Driver, Json, call, numbered, result, text
from tests.support.oracle import Oracle
from tests.support.oracle_words import Answer, Change, Context, Lines, Question

CONTINUATION = "This session is being continued from a previous conversation that ran out of context."
ASK_SUMMARY = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.\n\nYour task is to create a summary."
STUB = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."
UNREAD = "File has not been read yet. Read it first before writing to it."
CLEARED = "[Old tool result content cleared]"
SYSTEM: Lines = ("You work in a folder.", "Working directory: /repo")
FILES = ("a", "b")
LENGTH = 9


def a_file(name: str) -> list[str]:
    """Lines of a file: most are its own; one says nothing; one stands twice; one stands in every file."""
    lines = [f"{name} has line {number} of its own" for number in range(1, LENGTH + 1)]
    lines[0] = "from everywhere import everything"
    lines[4] = "}"
    lines[6] = lines[2]
    return lines


@dataclass(slots=True)
class Item:
    """A part of the history: a message, and what it really holds."""

    message: Json
    lines: Lines = ()
    """Of user, system and reminder texts."""
    answers: list[Answer] = field(default_factory=list)
    asks: bool = False
    is_block: bool = False
    """Begins with a provider's summary: nothing before it is seen by the model."""


class Story:
    """One thread of a session, told move by move."""

    def __init__(self, driver: Driver, agent: str = "") -> None:
        self.client = Client(driver, agent=agent, writer=(agent or "w").ljust(32, "0"))
        self.oracle = Oracle()
        self.items: list[Item] = []
        self.files = {name: a_file(name) for name in FILES}
        self._ids = (f"{agent}c{number}" for number in count(1))
        self._words = count(1)
        self._sent = 0
        """Items of the last request and its reply."""
        self._requested = 0
        """Items of the last request."""
        self._floor = 1
        """Items that a rewind leaves: the first prompt, or the summary with what was attached to it."""
        self._change = Change()
        self._keep: int | None = None
        self.user()

    # --- moves ---

    def user(self) -> None:
        """The user says something new."""
        self._text(f"please do thing number {next(self._words)}")

    def say(self) -> None:
        """A turn that asks for nothing."""
        if not self._open():
            self.user()
        self._turn([])

    def ask(self, *moves: tuple[Any, ...]) -> None:
        """One turn that asks for several things at once, and their answers."""
        if not self._open():
            self.user()
        made = [self._made(*move) for move in moves]
        self._turn([(block, question) for block, question, _ in made])
        answers = [answer for _, _, answer in made]
        blocks = [result(answer.call, answer.shown, is_error=answer.kind in ("demand", "error")) for answer in answers]
        self.items.append(Item({"role": "user", "content": blocks}, answers=answers))

    def compact(self, kept: int, attached: Sequence[tuple[str, str]], how: str) -> None:
        """The client replaces the history by a summary that quotes some lines of a file, and attaches files again."""
        whole = self.items
        newest = whole[-2:] if how == "auto" and self._requested < len(whole) and whole[-1].answers else []
        quoted = tuple(self.files["a"][:kept])
        summary = ("Notes on what was done so far", *quoted, "That was the summary of it")
        if how != "unseen":
            self.items = [*whole[: len(whole) - len(newest)]]
            self._text(ASK_SUMMARY)
            self._turn([], summary=summary)
        self.items, self._sent = [], 0
        self._text(f"{CONTINUATION}\n\nSummary {next(self._words)}:\n" + "\n".join(summary), summary)
        for name, form in attached:
            self._attach(name, form)
        self._floor = len(self.items)
        self.items += newest
        self._change = self._change._replace(compacted=True)

    def fold(self, kept: int) -> None:
        """The provider summarises all that is there before it answers."""
        if not self._open():
            self.user()
        self._turn([], block=(f"Provider's notes {next(self._words)}", *self.files["b"][:kept]))
        self._floor = len(self.items)

    def slide(self) -> None:
        """The oldest exchange of tools leaves the history; what came later stays."""
        at = next((at for at, item in enumerate(self.items) if item.asks), None)
        if at is not None and at + 3 < self._sent and not self._change.rewound:
            del self.items[at : at + 2]
            self._sent -= 2
            self._change = self._change._replace(edited=True)

    def empty(self) -> None:
        """The oldest results lose their content in place."""
        at = next((at for at, item in enumerate(self.items) if item.answers), None)
        if at is not None and at + 2 < self._sent and not self._change.rewound:
            old = self.items[at]
            blocks = [result(block["tool_use_id"], CLEARED) for block in old.message["content"]]
            self.items[at] = Item({"role": "user", "content": blocks}, lines=(CLEARED,))
            self._change = self._change._replace(edited=True)

    def clear(self, keep: int) -> None:
        """From now on the provider clears all results but the newest ones."""
        self._keep = keep

    def rewind(self, back: int) -> None:
        """The user goes back some way and says something else."""
        at = max(self._floor, len(self.items) - back)
        while at > self._floor and self.items[at - 1].asks:
            at -= 1
        if at < self._sent and not self._change.compacted and not self._change.edited:
            self.items = self.items[:at]
            self._sent = at
            self._change = Change(rewound=True)
            self.user()

    def retry(self) -> None:
        """A reply that came whole never reached the history: the same request again."""
        if not self._open():
            self.user()
        self._turn([], keep=False)

    def fail(self) -> None:
        """The provider is overloaded: no turn."""
        if not self._open():
            self.user()
        error = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
        self.client.messages = self._messages()
        self.client.turn(status=529, answer=error, keep=False)

    # --- parts ---

    def _text(self, said: str, lines: Lines = (), role: str = "user") -> None:
        self.items.append(Item({"role": role, "content": [text(said)]}, lines=lines or tuple(said.split("\n"))))

    def _attach(self, name: str, form: str) -> None:
        lines = self.files[name]
        shown = "\n".join(lines) if form == "plain" else numbered(lines)
        if form == "system":
            self._text(f"Called the Read tool\nResult of calling the Read tool:\n{shown}", tuple(lines), "system")
        else:
            self._text(f"<system-reminder>\nResult of calling it:\n{shown}</system-reminder>", tuple(lines))

    def _open(self) -> bool:
        """The history ends in something that a model can answer."""
        return bool(self.items) and self.items[-1].message["role"] != "assistant"

    def _messages(self) -> list[Json]:
        return [item.message for item in self.items]

    def _made(self, kind: str, name: str, *rest: Any) -> tuple[Json, Question, Answer]:
        lines, path, call_id = self.files[name], f"/repo/{name}.py", next(self._ids)
        if kind in ("demand", "error"):
            tool = {"demand": "Edit", "error": "Read"}[kind]
            block = call(call_id, tool, file_path=path)
            refusal = {"demand": UNREAD, "error": "File does not exist."}[kind]
            refused = Answer(call_id, (refusal,), f"<tool_use_error>{refusal}</tool_use_error>", kind)
            return block, _question(block, path, None, reads=kind == "error"), refused
        if kind in ("edit", "write"):
            tool = {"edit": "Edit", "write": "Write"}[kind]
            block = call(call_id, tool, file_path=path)
            said = f"The file {path} has been updated"
            self.files[name] = a_file(name)
            if kind == "edit":
                self.files[name][rest[0] - 1] = f"{name} has line {rest[0]} anew by {call_id}"
            return block, _question(block, path, None, reads=False), Answer(call_id, (said,), said)
        if kind == "stub":
            block = call(call_id, "Read", file_path=path)
            return block, _question(block, path, None), Answer(call_id, (STUB,), STUB, "stub")
        span = rest[0] if rest else None
        block, bare = _reading(kind, call_id, name, span)
        first, last = span or (1, LENGTH)
        shown = lines[first - 1 : last]
        answer = "\n".join(shown) if bare else numbered(shown, first)
        return block, _question(block, path, span), Answer(call_id, tuple(shown), answer)

    def _turn(
        self,
        asks: list[tuple[Json, Question]],
        *,
        summary: Lines | None = None,
        block: Lines | None = None,
        keep: bool = True,
    ) -> None:
        context = self._context()
        if summary is None:
            self._requested = len(self.items)
        reply = [one for one, _ in asks] or [text("All right then.")]
        if summary is not None:
            reply = [text("<analysis>so far</analysis>\n<summary>\n" + "\n".join(summary) + "\n</summary>")]
        if block is not None:
            reply = [{"type": "compaction", "content": "\n".join(block)}, *reply]
        self.client.messages = self._messages()
        edits = {"type": "clear_tool_uses_20250919", "cleared_tool_uses": len(context.hidden)}
        answer = {"context_management": {"applied_edits": [edits]}} if self._keep is not None else {}
        self.client.turn(*reply, keep=False, answer=answer)
        questions = [question for _, question in asks]
        self.oracle.turn(context, self._change, questions, summary=summary is not None, block=block)
        self._change = Change()
        if summary is None and keep:
            message = {"role": "assistant", "content": reply}
            self.items.append(Item(message, block or (), asks=bool(asks), is_block=block is not None))
            self._sent = len(self.items)

    def _context(self) -> Context:
        first = max((at for at, item in enumerate(self.items) if item.is_block), default=0)
        shown = self.items[first:]
        answers = [answer for item in shown for answer in item.answers]
        results = [block for item in shown for block in _results(item)]
        texts = [SYSTEM, *(item.lines for item in shown if item.lines and not item.answers)]
        may_go = results[: max(0, len(results) - self._keep)] if self._keep is not None else []
        return Context(answers, texts, frozenset(may_go), SYSTEM)


def _results(item: Item) -> Iterator[str]:
    if item.message["role"] == "user":
        yield from (block["tool_use_id"] for block in item.message["content"] if block["type"] == "tool_result")


def _question(block: Json, path: str, span: tuple[int, int] | None, *, reads: bool = True) -> Question:
    return Question(block["id"], path, span, reads, orjson.dumps(block["input"]).decode())


def _reading(kind: str, call_id: str, name: str, span: tuple[int, int] | None) -> tuple[Json, bool]:
    """A reading call, and whether its answer comes without line numbers."""
    if span is None and kind == "shell":
        return call(call_id, "Bash", command=f"cat {name}.py"), True
    if span is None:
        return call(call_id, "Read", file_path=f"/repo/{name}.py"), False
    first, last = span
    if kind == "read":
        return call(call_id, "Read", file_path=f"/repo/{name}.py", offset=first, limit=last - first + 1), False
    command = f"head -n {last} {name}.py" if first == 1 else f"sed -n '{first},{last}p' ./{name}.py"
    return call(call_id, "Bash", command=command), True
