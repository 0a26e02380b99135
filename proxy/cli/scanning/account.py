"""What one session's transcripts show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from proxy.ledger.bill import Bill, Line
from proxy.model.facts import (
    BoundaryFact,
    CallFact,
    DropFact,
    IterationFact,
    Label,
    ObservationFact,
    SessionFact,
    ThreadFact,
    ToolClass,
    TurnFact,
)
from proxy.model.ids import ThreadId
from proxy.story.story import EXACT, PARTIAL, Story
from proxy.transcripts.calls import Beside
from proxy.transcripts.driving import Facts
from proxy.transcripts.formats import Group

UNMARKED = ("history replaced", "applied edits")
"""What shows a boundary that no client marks as a compaction."""
AGAIN = 2
"""A resource is listed when it was fetched again at least so often after one compaction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """Retrievals of some stretch, by class."""

    retrievals: int
    labels: Mapping[Label, int]

    def of(self, labels: frozenset[Label]) -> int:
        """How many are of these classes."""
        return sum(count for label, count in self.labels.items() if label in labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class Charged:
    """One compaction, with what can be billed to it."""

    bill: Bill
    again: Sequence[tuple[str, int]]
    """What was fetched again more than once after it, most often first."""

    @property
    def known_pico_usd(self) -> int | None:
        """Sum of the lines that a transcript tells; a lower bound when one is missing. None when it tells none."""
        told = [
            line.priced_pico_usd for line in self.lines.values() if line.priced_pico_usd or line.pico_usd is not None
        ]
        return sum(told) if told else None

    @property
    def untold(self) -> list[str]:
        """Lines of which the transcript does not tell everything."""
        return [name for name, line in self.lines.items() if line.pico_usd is None]

    @property
    def lines(self) -> Mapping[str, Line]:
        """The measured lines by name."""
        bill = self.bill
        return {
            "summary": bill.summary,
            "rewrite": bill.rewrite,
            "exact": bill.exact,
            "partial": bill.partial,
            "attempted": bill.attempted,
        }

    @property
    def pays_back_after(self) -> int | None:
        """Modelled: turns until what is saved reaches what is known to have been paid; a lower bound like that."""
        known, saved = self.known_pico_usd, self.bill.saved_per_turn_pico_usd
        return None if known is None or saved is None or saved <= 0 else -(-known // saved)

    @property
    def net_pico_usd(self) -> int | None:
        """Modelled: what is known to have been paid, less what the turns that followed saved."""
        known, saved = self.known_pico_usd, self.bill.saved_per_turn_pico_usd
        return None if known is None or saved is None else known - saved * self.bill.turns_followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """One session."""

    session: SessionFact
    name: str
    """As the client calls it."""
    files: Sequence[str]
    turns: int
    agents: int
    calls: int
    unknown_calls: int
    pico_usd: int | None
    unpriced: int
    usage_missing: int
    """Turns without usage."""
    before: Reads
    """Up to the first compaction of each thread; of threads without one, everything."""
    after: Reads
    compactions: Sequence[Charged]
    dropped: int
    """Observations that compactions dropped."""
    reread_tokens_ref: int
    """Of re-reads after a compaction, exact and partial."""
    exact_tokens_ref: int
    marks: int
    """Compactions that the client marked."""
    unfollowed: int
    """Of these: nothing came after."""
    unseen: int
    """Of these: what came after lacks nothing that was seen before."""
    repeated: int
    open_outputs: int
    incomplete: int
    """Turns whose history was too large to be held whole."""
    replies: frozenset[str]

    @property
    def badness(self) -> tuple[int, int, int]:
        """Worst first: tokens fetched again, then compactions, then the latest."""
        return (self.reread_tokens_ref, len(self.compactions), self.session.last_us)


def account(group: Group, facts: Facts, beside: Beside) -> Account | None:
    """A session's account; None when no call was told."""
    story = _story(facts)
    if story is None:
        return None
    first = _first_boundaries(story.boundaries)
    before = [call for call in story.calls if call.turn < first.get(call.thread, call.turn + 1)]
    after = [call for call in story.calls if call.turn >= first.get(call.thread, call.turn + 1)]
    money, tokens = story.cost, Counter[Label]()
    for call in story.calls:
        tokens[call.label] += call.reread_tokens_ref or 0
    return Account(
        session=story.session,
        name=group.session,
        files=[str(file) for file in group.files],
        turns=len(story.turns) - beside.implied,
        agents=sum(thread.kind == "agent" for thread in story.threads),
        calls=len(story.calls),
        unknown_calls=story.unknown_calls,
        pico_usd=money.pico_usd,
        unpriced=money.unpriced,
        usage_missing=sum(turn.usage_missing for turn in story.turns) - beside.implied,
        before=_reads(before),
        after=_reads(after),
        compactions=[Charged(bill=bill, again=_again(story, bill)) for bill in story.bills],
        dropped=sum(boundary.dropped_observations for boundary in story.boundaries),
        reread_tokens_ref=sum(tokens[label] for label in EXACT | PARTIAL),
        exact_tokens_ref=sum(tokens[label] for label in EXACT),
        marks=beside.marks,
        unfollowed=beside.marks - beside.followed,
        unseen=max(0, beside.followed - sum(each.evidence not in UNMARKED for each in story.boundaries)),
        repeated=beside.repeated,
        open_outputs=beside.open_outputs,
        incomplete=beside.incomplete,
        replies=frozenset(beside.replies),
    )


def _story(facts: Facts) -> Story | None:
    session = next(iter(facts.of(SessionFact)), None)
    if session is None:
        return None
    return Story(
        session=session,
        threads=facts.of(ThreadFact),
        turns=facts.of(TurnFact),
        iterations=facts.of(IterationFact),
        calls=facts.of(CallFact),
        observations=facts.of(ObservationFact),
        boundaries=facts.of(BoundaryFact),
        drops=facts.of(DropFact),
    )


def _first_boundaries(boundaries: Sequence[BoundaryFact]) -> dict[ThreadId, int]:
    first: dict[ThreadId, int] = {}
    for boundary in boundaries:
        first[boundary.thread] = min(boundary.turn, first.get(boundary.thread, boundary.turn))
    return first


def _reads(calls: Sequence[CallFact]) -> Reads:
    retrievals = [call for call in calls if call.tool_class is ToolClass.RETRIEVAL]
    return Reads(retrievals=len(retrievals), labels=dict(Counter(call.label for call in retrievals)))


def _again(story: Story, bill: Bill) -> list[tuple[str, int]]:
    boundary = bill.boundary
    charged = Counter(
        call.resource or call.tool
        for call in story.calls
        if (call.thread, call.boundary) == (boundary.thread, boundary.boundary) and call.label in EXACT | PARTIAL
    )
    return [(name, count) for name, count in charged.most_common() if count >= AGAIN]
