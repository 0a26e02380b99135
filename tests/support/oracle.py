"""A second opinion on boundaries and classes, written from docs/classes.md and V4-V6 alone.

It is told what a context really holds - file lines, not digests - and keeps all of it. Nothing of the ledger is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tests.support.oracle_words import (
    Answer,
    Boundary,
    Change,
    Context,
    Lines,
    Observed,
    Question,
    Verdict,
    stands_in,
    telling,
    words,
)


class Oracle:
    """One thread."""

    def __init__(self) -> None:
        self.turns = 0
        self.verdicts: dict[str, Verdict] = {}
        self.boundaries: list[Boundary] = []
        self.seen: list[Observed] = []
        self.visible: list[Observed] = []
        self._asked: list[tuple[Question, list[Lines]]] = []
        self._hidden: frozenset[str] = frozenset()
        self._cleared = 0
        self._demanded: set[str] = set()

    def turn(
        self,
        context: Context,
        change: Change,
        asks: Sequence[Question],
        *,
        summary: bool = False,
        block: Lines | None = None,
    ) -> None:
        """One model call; `block` is the summary that the provider put in front of its reply."""
        self.turns += 1
        self._revive(context)
        self._answers(context, waits=summary)
        self._request(context, change)
        self._clear(context)
        if block is not None:
            context = Context((), (context.always, block))
            self._cross(self._look(context, frozenset()), context, by_window=False)
        self._asked += [(question, list(context.texts)) for question in asks]
        for question in asks:
            self.verdicts[question.call] = Verdict("pending", None, None)

    # --- answers ---

    def _answers(self, context: Context, *, waits: bool) -> None:
        shown = {answer.call: answer for answer in context.answers}
        waiting = []
        for question, texts in self._asked:
            if question.call in shown:
                self._judge(question, shown[question.call], texts)
            elif waits:
                waiting.append((question, texts))
            else:
                self.verdicts[question.call] = Verdict("no_result", None, None)
        self._asked = waiting

    def _judge(self, asked: Question, answer: Answer, texts: list[Lines]) -> None:
        known = [one for one in self.seen if not one.left]
        if not asked.reads:
            self.verdicts[asked.call] = Verdict("not_retrieval", None, None)
        else:
            self.verdicts[asked.call] = self._class_of(asked, answer, texts, known)
        if answer.kind == "demand":
            self._demanded.add(asked.path)
        if answer.kind == "content":
            self._demanded.discard(asked.path)
            seen = Observed(asked, answer.lines, telling(answer.lines), words(answer.shown))
            for one in known:
                if one.asked.path == asked.path:
                    one.missing -= set(seen.told)
            self.seen.append(seen)
            self.visible.append(seen)

    def _class_of(self, asked: Question, answer: Answer, texts: list[Lines], known: list[Observed]) -> Verdict:
        tokens = words(asked.arguments) + words(answer.shown)
        keyed = [one for one in known if one.asked.reads and self._key(one.asked) == self._key(asked)]
        if answer.kind == "error":
            return Verdict("failed", None, None)
        if answer.kind == "stub":
            return Verdict(
                "attempted", self._last_copy(asked, keyed[-1].lines, texts, known) if keyed else None, tokens
            )
        lines, told = answer.lines, telling(answer.lines)
        same = [one for one in known if one.asked.path == asked.path and (told or one in keyed)]
        if not keyed and not any(set(one.told) & set(told) for one in same):
            return Verdict("acquisition", None, None)
        is_same = keyed[-1].lines == lines if keyed else any(one.lines == lines for one in same)
        if asked.path in self._demanded:
            return Verdict("forced", self._of_forced(asked, lines, texts, known, is_same=is_same), tokens)
        if keyed and not is_same:
            return Verdict("refresh", None, None)
        if self._stands(lines, texts, same):
            return Verdict("repeat_visible", None, tokens)
        if keyed:
            return Verdict("reacquisition", self._last_copy(asked, lines, texts, known), tokens)
        if is_same:
            return Verdict("variant", self._last_copy(asked, lines, texts, known), tokens)
        return self._part(told, same)

    def _stands(self, lines: Lines, texts: list[Lines], same: list[Observed]) -> bool:
        told = telling(lines)
        others = self.visible if told else [one for one in self.visible if one in same]
        if any(one.holds(lines) for one in others):
            return True
        # A text is a copy of what was seen: it says nothing about lines that no result had shown.
        shown = {line for one in same if one.dropped_by for line in one.told}
        return set(told) <= shown and any(stands_in(told, telling(text)) for text in texts)

    def _last_copy(self, asked: Question, lines: Lines, texts: list[Lines], known: list[Observed]) -> int | None:
        """The boundary that removed the last copy."""
        same = [one for one in known if one.asked.path == asked.path]
        if not telling(lines):
            same = [one for one in same if one.asked.reads and self._key(one.asked) == self._key(asked)]
        if self._stands(lines, texts, same):
            return None
        gone = [one for one in same if one.dropped_by and one.holds(lines)]
        return max((one.dropped_by for one in gone), default=None)

    def _of_forced(
        self, asked: Question, lines: Lines, texts: list[Lines], known: list[Observed], *, is_same: bool
    ) -> int | None:
        same = [one for one in known if one.asked.path == asked.path]
        if is_same:
            return self._last_copy(asked, lines, texts, known)
        if self._stands(lines, texts, same):
            return None
        return max(self._back(telling(lines), same).values(), default=None)

    def _back(self, told: Lines, same: list[Observed]) -> dict[str, int]:
        """The dropped lines among these, each with the boundary that removed it last."""
        in_view = {line for one in self.visible if one in same for line in one.told}
        return {
            line: max(one.dropped_by for one in same if line in one.missing)
            for line in dict.fromkeys(told)
            if line not in in_view and any(line in one.missing for one in same)
        }

    def _part(self, told: Lines, same: list[Observed]) -> Verdict:
        back = self._back(told, same)
        if not back:
            return Verdict("acquisition", None, None)
        boundary = max(back.values())
        counted = [line for line, number in back.items() if number == boundary]
        self._restored(boundary, counted, [one for one in same if one.dropped_by == boundary])
        tokens = sum(map(words, counted))
        if set(back) == set(told):
            return Verdict("subset", boundary, tokens)
        whole = any(one.missing and set(one.told) <= set(told) for one in same)
        return Verdict("superset" if whole else "overlap", boundary, tokens)

    def _restored(self, boundary: int, lines: Iterable[str], gone: list[Observed]) -> None:
        """Each line once per boundary: of a rolling one, once for each turn that dropped it."""
        counted = self.boundaries[boundary - 1].restored
        for line in lines:
            last = max((one for one in gone if line in one.missing), key=lambda one: one.dropped_turn)
            drop = (last.dropped_turn, last.asked.path, line)
            assert drop not in counted
            counted.add(drop)

    @staticmethod
    def _key(asked: Question) -> tuple[str, tuple[int, int] | None]:
        return asked.path, asked.span

    # --- boundaries ---

    def _revive(self, context: Context) -> None:
        shown = {answer.call for answer in context.answers}
        for one in self.seen:
            if one.left and one.asked.call in shown:
                one.left = False
                self.visible.append(one)

    def _request(self, context: Context, change: Change) -> None:
        if self.turns == 1 or not (change.compacted or change.rewound or change.edited):
            return
        still = frozenset(call for call in context.hidden if not any(one.asked.call == call for one in self.visible))
        lost = self._look(context, still)
        if change.rewound and not change.compacted:
            for one in lost:
                one.left = True
            return
        if change.compacted or lost:
            self._cross(lost, context, by_window=not change.compacted)
        elif self._rolls_on():
            self.boundaries[-1].rolled_to = self.turns

    def _clear(self, context: Context) -> None:
        if not context.hidden and not self._cleared:
            return
        lost = self._look(context, context.hidden)
        if lost or len(context.hidden) > self._cleared:
            self._cross(lost, context, by_window=False)
        self._cleared = len(context.hidden)

    def _look(self, context: Context, hidden: frozenset[str]) -> list[Observed]:
        """What is visible from now on; returns what no longer is."""
        shown = {answer.call for answer in context.answers} - hidden
        direct = [one for one in self.seen if not one.left and one.asked.call in shown]
        lost, kept = [], list(direct)
        for one in self.visible:
            if one in direct or one.left:
                continue
            others = (
                direct if one.told else [other for other in direct if self._key(other.asked) == self._key(one.asked)]
            )
            in_text = any(stands_in(one.told, telling(text)) for text in context.texts)
            if any(other.holds(one.lines) for other in others) or in_text:
                kept.append(one)
            else:
                lost.append(one)
        for one in kept:
            one.dropped_by = one.dropped_turn = 0
            one.missing = set()
        self.visible = kept
        return lost

    def _cross(self, lost: list[Observed], context: Context, *, by_window: bool) -> None:
        if by_window and self._rolls_on():
            self.boundaries[-1].rolling = True
        else:
            self.boundaries.append(Boundary(turn=self.turns, dropped={}, by_window=by_window))
        boundary = self.boundaries[-1]
        boundary.rolled_to = self.turns
        texts = {line for text in context.texts for line in telling(text)}
        for one in lost:
            one.dropped_by, one.dropped_turn = len(self.boundaries), self.turns
            one.missing = set(one.told)
            boundary.dropped[one.asked.call] = "partly" if texts & set(one.told) else "none"

    def _rolls_on(self) -> bool:
        last = self.boundaries[-1] if self.boundaries else None
        return last is not None and last.by_window and last.rolled_to == self.turns - 1
