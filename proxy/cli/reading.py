"""From the store to what the pages are drawn from."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager

from config.settings import Settings
from proxy.cli import settings as cli_settings
from proxy.cli.invocation import Invocation
from proxy.cli.views.sessions import Summary
from proxy.metrics.loops import COUNTED, LoopLimits, loops_of
from proxy.model.errors import UsageError
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
from proxy.store import Reader, open_database, snapshot
from proxy.store.reader import Group, Total
from proxy.story.audit import Audited
from proxy.story.story import EXACT, PARTIAL, Story

NOTHING_YET = "no session yet in {data}\nnext: compaction-gate wrap -- claude     (one agent through a relay)"


def now_us() -> int:
    """UTC microseconds."""
    return time.time_ns() // 1_000


def has_store(settings: Settings) -> bool:
    """Whether there is a store to read. A missing file is an empty one; a database elsewhere is asked."""
    return settings.store.file is None or settings.store.file.exists()


@contextmanager
def reader_of(settings: Settings) -> Iterator[Reader]:
    """One snapshot of the store.

    Raises:
        InputError: it is no store. NewerVersionError: a newer version wrote it.
    """
    with open_database(settings.store.database, create=False) as database, snapshot(database) as reader:
        yield reader


@contextmanager
def reading_session(invocation: Invocation, reference: str) -> Iterator[tuple[Settings, Reader, SessionFact]]:
    """One session by id, unique prefix, name, or `last`, and the snapshot that has it.

    Raises:
        UsageError: none or several.
    """
    settings = cli_settings.read(invocation).settings
    if not has_store(settings):
        raise UsageError(NOTHING_YET.format(data=settings.store.data))
    with reader_of(settings) as reader:
        yield settings, reader, reader.session(reference)


@contextmanager
def story_of(invocation: Invocation, reference: str) -> Iterator[tuple[Settings, Story]]:
    """Everything about one session.

    Raises:
        UsageError: none or several have that name.
    """
    with reading_session(invocation, reference) as (settings, reader, session):
        yield settings, read_story(reader, session)


def read_story(reader: Reader, session: SessionFact) -> Story:
    """Everything about one session."""
    own = session.session
    return Story(
        session=session,
        threads=reader.facts(ThreadFact, session=own),
        turns=reader.facts(TurnFact, session=own),
        iterations=reader.facts(IterationFact, session=own),
        calls=reader.facts(CallFact, session=own),
        observations=reader.facts(ObservationFact, session=own),
        boundaries=reader.facts(BoundaryFact, session=own),
        drops=reader.facts(DropFact, session=own),
        audited=read_audited(reader),
    )


def read_audited(reader: Reader) -> list[Audited]:
    """Labels given by hand, of all sessions."""
    return [Audited(one.product_label, one.hand_label) for one in reader.hand_labels()]


def _total(tokens: Mapping[Group, Total], session: str, labels: Collection[Label]) -> int:
    return sum(tokens[session, label].total or 0 for label in labels if (session, label) in tokens)


def read_summaries(reader: Reader, limits: LoopLimits, *, since_us: int, now_us: int) -> list[Summary]:
    """One line for each session that was active since then."""
    turns = reader.counts(TurnFact, "session")
    boundaries = reader.counts(BoundaryFact, "session")
    labels = reader.counts(CallFact, "session", "label")
    classes = reader.counts(CallFact, "session", "tool_class")
    cost = reader.totals(IterationFact, "pico_usd", "session")
    tokens = reader.totals(CallFact, "reread_tokens_ref", "session", "label")
    summaries = []
    for session in reader.sessions(since_us=since_us):
        own = session.session
        money = cost.get((own,))
        may_loop = any(labels.get((own, label)) for label in COUNTED)
        loops = loops_of(reader.facts(CallFact, session=own), limits) if may_loop else []
        summaries.append(
            Summary(
                session=session,
                turns=turns.get((own,), 0),
                pico_usd=money.total if money else None,
                unpriced=money.unmeasured if money else 0,
                boundaries=boundaries.get((own,), 0),
                exact=sum(labels.get((own, label), 0) for label in EXACT),
                partial=sum(labels.get((own, label), 0) for label in PARTIAL),
                exact_tokens_ref=_total(tokens, own, EXACT),
                partial_tokens_ref=_total(tokens, own, PARTIAL),
                calls=sum(classes.get((own, kind), 0) for kind in ToolClass),
                unknown_calls=classes.get((own, ToolClass.UNKNOWN), 0),
                looping=any(loop.is_open for loop in loops) and now_us - session.last_us <= limits.idle_us,
                looped_us=max((loop.last.asked_us for loop in loops), default=None),
            )
        )
    return summaries
