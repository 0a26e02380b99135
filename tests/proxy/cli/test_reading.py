from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.cli.reading import has_store, read_story, read_summaries, reader_of
from proxy.store import open_database
from proxy.wiring.settings import loop_limits
from tests.support.stories import Telling, a_compacted_session, keep, reads, rereads


def test_a_story_read_from_the_store_is_the_one_that_was_kept(tmp_path: Path) -> None:
    told = a_compacted_session()
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings
    assert not has_store(settings)
    with open_database(settings.store.database) as database:
        keep(told, database)
    assert has_store(settings)
    with reader_of(settings) as reader:
        story = read_story(reader, reader.session("last"))
    kept = told.story()
    assert story.session == kept.session
    assert story.order == kept.order
    assert (story.labels, story.bills) == (kept.labels, kept.bills)


def test_a_session_loops_in_the_list_while_it_does(tmp_path: Path) -> None:
    told = Telling()
    told.turn(60_000, reads("a"))
    told.boundary(("a", 10))
    for _ in range(3):
        told.turn(9_000, rereads("a") | {"repeats": "main/1.0"})
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings
    with open_database(settings.store.database) as database:
        keep(told, database)
    with reader_of(settings) as reader:
        limits = loop_limits(settings)
        (now,) = read_summaries(reader, limits, since_us=0, now_us=told.now_us)
        (later,) = read_summaries(reader, limits, since_us=0, now_us=told.now_us + limits.idle_us + 1)
    assert (now.looping, later.looping) == (True, False)
    assert (now.exact_tokens_ref, now.partial_tokens_ref) == (1_500, 0)
