"""A session told turn by turn, as facts: for views, metrics and the command line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from proxy.journal.layout import Mark
from proxy.model.facts import (
    BoundaryFact,
    BoundaryKind,
    CallFact,
    DropFact,
    ExchangeFact,
    ExchangeKind,
    Fact,
    InSummary,
    IterationFact,
    Label,
    Observability,
    ObservationFact,
    SessionFact,
    ThreadFact,
    ToolClass,
    TurnFact,
)
from proxy.model.ids import CallId, ObservationId, SessionId, ThreadId
from proxy.store import Commit, Database, StateChange, Writer
from proxy.story.story import Story
from tests.support.store import START_US, a_fact

SECOND_US = 1_000_000
MAIN = ThreadId("main")
PICO_INPUT, PICO_CACHED, PICO_OUTPUT = 3_000_000, 300_000, 15_000_000
"""USD 3, 0.30 and 15 a million tokens."""


class Telling:
    """Collects the facts of one session."""

    def __init__(self, session: str = "7f3a91c2" + "0" * 24, **session_fields: Any) -> None:
        self.session = SessionId(session)
        self.writer = session[:4] * 8
        self._session_fields = {
            "client": "claude-code",
            "client_version": "2.1.332",
            "door": "base_url",
            "source": "live",
        }
        self._session_fields |= session_fields
        self.now_us = START_US
        self.threads: dict[ThreadId, ThreadFact] = {}
        self.exchanges: list[ExchangeFact] = []
        self.turns: list[TurnFact] = []
        self.iterations: list[IterationFact] = []
        self.calls: list[CallFact] = []
        self.observations: list[ObservationFact] = []
        self.boundaries: list[BoundaryFact] = []
        self.drops: list[DropFact] = []

    def turn(
        self,
        context: int | None,
        *calls: dict[str, Any],
        thread: str = "main",
        cached: int | None = None,
        **fields: Any,
    ) -> TurnFact:
        """A model call with that billed context, `cached` of it read from the cache, and what it asked for."""
        self.now_us += 10 * SECOND_US
        who = {"session": self.session, "thread": ThreadId(thread)}
        if thread not in self.threads:
            kind = thread.partition(":")[0].partition(".")[0]
            self.threads[ThreadId(thread)] = a_fact(ThreadFact, **who, kind=kind, first_us=self.now_us)
        number = len(self.exchanges) + 1
        turn = sum(found.thread == thread for found in self.turns) + 1
        self.exchanges.append(
            a_fact(ExchangeFact, writer=self.writer, number=number, **who, turn=turn, attempt=1, kind=ExchangeKind.TURN,
                   outcome="complete", upstream="anthropic", opened_us=self.now_us, status=200,
                   duration_us=4 * SECOND_US)
        )  # fmt: skip
        self.turns.append(
            a_fact(TurnFact, **who, turn=turn, writer=self.writer, number=number, purpose="main",
                   started_us=self.now_us,
                   duration_us=4 * SECOND_US, model_answered="claude-x", context_tokens=context,
                   usage_missing=context is None, fresh_tokens_ref=1_000, reply_tokens_ref=100)
        )  # fmt: skip
        self.turns[-1] = replace(self.turns[-1], **fields)
        if context is not None:
            self._sampling(number, who, context, context if cached is None else cached)
        for index, call in enumerate(calls):
            self.calls.append(self._call(who, turn, index, call))
        return self.turns[-1]

    def _sampling(self, number: int, who: dict[str, Any], context: int, cached: int) -> None:
        fresh, output = (context - cached) * PICO_INPUT, 200 * PICO_OUTPUT
        self.iterations.append(
            a_fact(IterationFact, writer=self.writer, number=number, iteration=0, **who, kind="message",
                   model="claude-x",
                   cache_read=cached, cache_write_5m=context - cached, output=200,
                   pico_usd=cached * PICO_CACHED + fresh + output, fresh_pico_usd=fresh, written_pico_usd=fresh,
                   output_pico_usd=output,
                   warm_pico_usd=context * PICO_CACHED + output)
        )  # fmt: skip

    def _call(self, who: dict[str, Any], turn: int, index: int, fields: dict[str, Any]) -> CallFact:
        blank = a_fact(CallFact, **who, turn=turn, index=index, call=CallId(f"toolu_{turn}_{index}"), tool="Read",
                       action="read", tool_class=ToolClass.RETRIEVAL, label=Label.ACQUISITION, asked_us=self.now_us,
                       answered_turn=turn + 1, arguments_tokens_ref=10, because="{}")  # fmt: skip
        return replace(blank, **fields)

    def boundary(self, *dropped: tuple[str, int], thread: str = "main", **fields: Any) -> BoundaryFact:
        """A compaction before the thread's next turn that drops observations (resource, reference tokens)."""
        own = [turn for turn in self.turns if turn.thread == thread]
        number = sum(found.thread == thread for found in self.boundaries) + 1
        who = {"session": self.session, "thread": ThreadId(thread)}
        given = {
            "kind": BoundaryKind.CLIENT,
            "trigger": "auto",
            "level": Observability.EXACT,
            "evidence": "summary request",
        }
        self.boundaries.append(
            a_fact(BoundaryFact, **who, boundary=number, turn=own[-1].turn + 1, at_us=self.now_us + SECOND_US,
                   tokens_before=own[-1].context_tokens, dropped_observations=len(dropped),
                   dropped_tokens_ref=sum(tokens for _, tokens in dropped), **given | fields)
        )  # fmt: skip
        for index, (resource, tokens) in enumerate(dropped):
            name = ObservationId(f"{thread}/{number}.{index}")
            self.observations.append(
                a_fact(ObservationFact, **who, observation=name, turn=1, resource=resource, tokens_ref=tokens,
                       key=f"read:{resource}:@{'c' * 64}", content_sha256="c" * 64, dropped_by=number)
            )  # fmt: skip
            self.drops.append(
                a_fact(
                    DropFact, **who, boundary=number, observation=name, turn=own[-1].turn + 1, in_summary=InSummary.NONE
                )
            )
        return self.boundaries[-1]

    def after(self, tokens: int) -> None:
        """The last boundary's context after it."""
        self.boundaries[-1] = replace(self.boundaries[-1], tokens_after=tokens)

    @property
    def fact(self) -> SessionFact:
        """The session itself."""
        return a_fact(SessionFact, session=self.session, first_us=START_US, last_us=self.now_us, **self._session_fields)

    def facts(self) -> list[Fact]:
        """Everything but the exchanges."""
        return [
            self.fact, *self.threads.values(), *self.turns, *self.iterations, *self.calls, *self.observations,
            *self.boundaries, *self.drops,
        ]  # fmt: skip

    def story(self) -> Story:
        """What a reader gets from the store."""
        return Story(
            session=self.fact,
            threads=list(self.threads.values()),
            turns=self.turns,
            iterations=self.iterations,
            calls=self.calls,
            observations=self.observations,
            boundaries=self.boundaries,
            drops=self.drops,
        )


def reads(resource: str, **fields: Any) -> dict[str, Any]:
    """A read of something new."""
    return {"resource": resource, **fields}


def rereads(resource: str, tokens: int = 500, label: Label = Label.REACQUISITION, boundary: int = 1) -> dict[str, Any]:
    """A read of what a boundary dropped."""
    return {"resource": resource, "label": label, "reread_tokens_ref": tokens, "boundary": boundary, "turns_later": 1}


def writes(resource: str) -> dict[str, Any]:
    """A write."""
    return {"resource": resource, "tool": "Edit", "action": "write", "tool_class": ToolClass.EXECUTION,
            "label": Label.NOT_RETRIEVAL}  # fmt: skip


def unknown() -> dict[str, Any]:
    """A call of a tool without a rule."""
    return {"tool": "mystery", "action": "", "tool_class": ToolClass.UNKNOWN, "label": Label.NOT_RETRIEVAL}


def a_compacted_session() -> Telling:
    """Eleven turns, one automatic compaction, two exact re-reads, a part, a refresh; a sub-agent beside."""
    told = Telling()
    told.turn(4_100, reads("a.py"), cached=0, cache_miss="cold")
    told.turn(21_700, reads("b.py"), reads("c.py"), cached=4_000)
    told.turn(9_000, reads("d.py"), thread="agent:1", cached=0)
    told.turn(30_300, writes("a.py"), cached=21_000)
    told.turn(61_200, cached=30_000)
    told.turn(61_900, purpose="summary", cached=61_000)
    told.boundary(("a.py", 1_204), ("b.py", 2_310), ("c.py", 1_960), summary_writer=told.writer, summary_number=6)
    told.after(14_900)
    told.turn(14_900, rereads("b.py", 2_310), cached=0, cache_miss="compaction")
    told.turn(17_400, rereads("a.py", 1_204), cached=14_900)
    told.turn(18_800, rereads("c.py", 840, Label.SUBSET), unknown(), cached=17_400)
    told.turn(20_100, rereads("b.py", 2_310), cached=18_800)
    told.turn(25_000, cached=20_100)
    return told


def keep(told: Telling, database: Database) -> None:
    """Write the session into a store, one commit for each exchange, all other facts with the last one."""
    writer = Writer(database)
    for place, exchange in enumerate(told.exchanges):
        facts: list[Fact] = [told.fact, *told.threads.values()]
        facts += [turn for turn in told.turns if turn.exchange == exchange.exchange]
        facts += [one for one in told.iterations if one.exchange == exchange.exchange]
        if place == len(told.exchanges) - 1:
            facts += told.facts()
        mark = Mark(exchange.number, 1, exchange.number * 1000)
        state = StateChange(told.session, place, {"main": b"state"})
        writer.commit(Commit(exchange=exchange, facts=facts, state=state, mark=mark))
