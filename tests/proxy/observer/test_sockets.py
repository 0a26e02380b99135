"""Calls on open sockets, observed and committed each exactly once."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.writer import JournalWriter
from proxy.model.facts import ExchangeFact, TurnFact
from proxy.store import Database, Writer, open_database, snapshot, verify
from tests.support.journal import Play, StillClock, play, small
from tests.support.observer import CountingJourney, Fuse, canonical, observe
from tests.support.sockets import RecordedSocket
from tests.support.store import an_empty_store
from tests.support.websocket import answer, create


class Story:
    """A socket whose calls end one after another, beside ordinary exchanges."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "journal"
        clock = StillClock()
        self.writer = JournalWriter(self.folder, settings=small(), clock=clock)
        self.socket = RecordedSocket(self.writer, clock)
        self._asked = self._answered = 0

    def step(self, kind: str) -> None:
        """A call is asked, one is answered, both in one record, or somebody else has an exchange."""
        if kind in ("ask", "both"):
            self._asked += 1
            self.socket.client(create(f"number {self._asked}", stream_id=f"{self._asked % 2}"), hold=kind == "both")
        if kind in ("answer", "both") and self._answered < self._asked:
            self._answered += 1
            self.socket.server(*answer(f"r{self._answered}", lane=f"{self._answered % 2}"))
        if kind == "other":
            play(self.writer, Play(target="/other"))

    def tell(self, steps: Sequence[str]) -> None:
        for kind in steps:
            self.step(kind)


def test_finished_calls_are_in_the_store_while_the_socket_is_open(tmp_path: Path, database: Database) -> None:
    story = Story(tmp_path)
    story.tell(["ask", "answer", "ask", "answer", "ask"])
    assert observe(story.folder, database, CountingJourney())
    with snapshot(database) as reader:
        assert [turn.exchange for turn in reader.facts(ExchangeFact)] == [
            (story.writer.writer_id, 1, 1),
            (story.writer.writer_id, 1, 2),
        ]
    assert Writer(database).marks()[story.writer.writer_id].number == 1
    story.socket.end()
    story.writer.close()
    assert observe(story.folder, database, CountingJourney())
    with snapshot(database) as reader:
        assert reader.counts(ExchangeFact, "part", "outcome") == {
            (0, "complete"): 1,
            (1, "complete"): 1,
            (2, "complete"): 1,
            (3, "upstream_cut"): 1,
        }
        assert reader.counts(TurnFact) == {(): 4}
    assert not (story.folder / story.writer.writer_id).exists()


STEPS = st.lists(st.sampled_from(["ask", "answer", "both", "other"]), min_size=3, max_size=14)


@settings(max_examples=15, deadline=None)
@given(
    STEPS,
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 25)), min_size=2, max_size=5),
    st.booleans(),
)
def test_an_observer_killed_anywhere_leaves_every_call_once(
    steps: Sequence[str], lives: list[tuple[int, int]], ends: bool
) -> None:
    with tempfile.TemporaryDirectory() as name:
        stores = []
        for folder, deaths in ((Path(name) / "calm", []), (Path(name) / "rough", lives)):
            story, rest = Story(folder), list(steps)
            with open_database(an_empty_store(folder / "store.db")) as database:
                for growth, length in deaths:
                    story.tell(rest[:growth])
                    rest = rest[growth:]
                    observe(story.folder, database, CountingJourney(), Fuse(length))
                story.tell(rest)
                if ends:
                    story.socket.end()
                story.writer.close()
                assert observe(story.folder, database, CountingJourney())
                stores.append(canonical(database).replace(story.writer.writer_id.encode(), b"writer"))
                assert verify(database) == []
        assert stores[0] == stores[1]
