"""Readers give exactly what was closed, never anything else, never twice; and say what they could not read."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxy.journal.layout import Mark
from proxy.journal.reader import JournalReader
from proxy.journal.writer import JournalWriter
from proxy.model.errors import CannotWriteError, NewerVersionError
from proxy.model.exchange import Exchange, Outcome
from tests.support.journal import Play, StillClock, open_head, play, read_all, segments, small

QUICK = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

bodies = st.lists(st.binary(max_size=200), max_size=6).map(tuple)
plays = st.builds(
    Play,
    request=bodies,
    response=bodies,
    status=st.sampled_from([200, 529, None]),
    outcome=st.sampled_from([outcome for outcome in Outcome if outcome is not Outcome.CUT]),
    target=st.sampled_from(["/v1/messages", "/v1/messages/count_tokens"]),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def interleave(writer: JournalWriter, scripts: list[Play], order: list[int]) -> list[Exchange]:
    """Play the scripts step by step in that order; what is closed in the end, in the order of the closes."""
    recorders = [writer.begin(script.head()) for script in scripts]
    done = [0] * len(scripts)
    closed = []
    for turn in order:
        which = turn % len(scripts)
        script, number = scripts[which], done[which] + 1
        if number < script.steps():
            script.step(recorders[which], number)
            done[which] = number
            if number == script.steps() - 1:
                closed.append(script.expected(writer.writer_id, recorders[which].number))
    return closed


@QUICK
@given(scripts=st.lists(plays, min_size=1, max_size=5), order=st.lists(st.integers(0, 4), max_size=80), data=st.data())
def test_any_interleaving_gives_what_was_closed_in_that_order(
    folder: Path, scripts: list[Play], order: list[int], data: st.DataObject
) -> None:
    writer = JournalWriter(fresh(folder), settings=small(segment_bytes=2048), clock=StillClock())
    reader = JournalReader(folder)
    closed = interleave(writer, scripts, order)
    seen = list(reader.poll())
    assert seen == closed
    writer.close()
    cut = list(reader.poll())
    assert [exchange.outcome for exchange in cut] == [Outcome.CUT] * (len(scripts) - len(closed))
    assert {exchange.id for exchange in cut}.isdisjoint(exchange.id for exchange in closed)
    assert list(reader.poll()) == []
    assert reader.counters.gaps == reader.counters.damaged == reader.counters.torn == 0
    reader.close()


@QUICK
@given(scripts=st.lists(plays, min_size=2, max_size=6), order=st.lists(st.integers(0, 5), max_size=90), data=st.data())
def test_a_reader_started_again_at_any_mark_misses_nothing(
    folder: Path, scripts: list[Play], order: list[int], data: st.DataObject
) -> None:
    writer = JournalWriter(fresh(folder), settings=small(segment_bytes=2048), clock=StillClock())
    closed = interleave(writer, scripts, order)
    stop = data.draw(st.integers(0, len(closed)), label="exchanges committed before the reader dies")
    first = JournalReader(folder)
    committed: list[Exchange] = []
    marks: dict[str, Mark] = {}
    for exchange in first.poll():
        if len(committed) == stop:
            break
        committed.append(exchange)
        marks = {writer.writer_id: first.mark(writer.writer_id)}
        first.release(writer.writer_id, first.mark(writer.writer_id), wipe=True)
    first.close()
    second = JournalReader(folder, marks=marks)
    again = [exchange for exchange in second.poll() if exchange not in committed]
    assert committed + again == closed
    assert second.counters.gaps == 0
    second.close()
    writer.close()


@QUICK
@given(which=st.integers(0, 3), size=st.integers(0, 4096))
def test_a_journal_cut_at_any_byte_gives_a_part_of_what_was_closed(folder: Path, which: int, size: int) -> None:
    writer = JournalWriter(fresh(folder), settings=small(), clock=StillClock())
    scripts = [Play(response=(bytes([number]) * 300,)) for number in range(12)]
    closed = [script.expected(writer.writer_id, play(writer, script).number) for script in scripts]
    writer.close()
    paths = segments(folder)
    path = paths[which % len(paths)]
    with path.open("r+b") as file:
        file.truncate(size)
    reader = JournalReader(folder)
    seen = list(reader.poll())
    whole = [exchange for exchange in seen if exchange.outcome is not Outcome.CUT]
    assert [exchange for exchange in closed if exchange in whole] == whole
    assert len({exchange.id for exchange in seen}) == len(seen)
    if path != paths[-1]:
        assert len(whole) == len(closed) or reader.counters.missing_records > 0
    reader.close()


@QUICK
@given(flips=st.lists(st.tuples(st.floats(0, 1), st.integers(1, 255)), min_size=1, max_size=4))
def test_flipped_bytes_never_give_anything_that_was_not_closed(folder: Path, flips: list[tuple[float, int]]) -> None:
    writer = JournalWriter(fresh(folder), settings=small(), clock=StillClock())
    scripts = [Play(response=(b"x" * 300, bytes([number]) * 200)) for number in range(10)]
    closed = interleave(writer, scripts, list(range(10)) * 7)
    assert len(closed) == 10
    writer.close()
    whole = b"".join(path.read_bytes() for path in segments(folder))
    damaged = bytearray(whole)
    for where, change in flips:
        damaged[int(where * (len(whole) - 1))] ^= change
    at = 0
    for path in segments(folder):
        size = path.stat().st_size
        path.write_bytes(damaged[at : at + size])
        at += size
    try:
        seen = read_all(folder)
    except NewerVersionError:
        return  # the version itself was hit: refused, nothing given
    given_out = [exchange for exchange in seen if exchange.outcome is not Outcome.CUT]
    assert [exchange for exchange in closed if exchange in given_out] == given_out
    assert len({exchange.id for exchange in seen}) == len(seen)


def test_a_flipped_byte_costs_only_the_exchanges_whose_record_it_hit(folder: Path) -> None:
    writer = JournalWriter(
        folder, settings=small(first_segment_bytes=1 << 16, segment_bytes=1 << 16), clock=StillClock()
    )
    for number in range(10):
        play(writer, Play(response=(bytes([65 + number]) * 50,)))
    writer.close()
    (path,) = segments(folder)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"E" * 50, b"E" * 49 + b"?"))
    reader = JournalReader(folder)
    assert [exchange.id.number for exchange in reader.poll()] == [1, 2, 3, 4, 6, 7, 8, 9, 10]
    (gap,) = reader.gaps()
    assert (gap.after.number, gap.before.number) == (5, 6)
    assert str(gap).startswith(f"{writer.writer_id[:8]}: records 5-5 missing, 00000001.seg:")


def test_recycled_segments_never_replay_an_earlier_life(folder: Path) -> None:
    """Every segment is used many times; half-filled later lives still hold whole records of earlier ones."""
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    reader = JournalReader(folder)
    seen = []
    for number in range(200):
        play(writer, Play(response=(b"%03d" % number * 100,)))
        for exchange in reader.poll():
            seen.append(exchange.id.number)
            reader.release(writer.writer_id, reader.mark(writer.writer_id))
    assert seen == list(range(1, 201))
    assert writer.counters.recycled > 10
    assert len(segments(folder)) <= 4
    old_bytes = sum(b"%03d" % number * 100 in segments(folder)[-1].read_bytes() for number in range(200))
    assert old_bytes > 0
    writer.close()
    late = JournalReader(folder)
    assert [exchange.id.number for exchange in late.poll()] == []
    assert late.counters.gaps == 0


def test_what_is_released_with_wipe_is_nowhere_any_more(folder: Path) -> None:
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    reader = JournalReader(folder)
    for _ in range(40):
        play(writer, Play(request=(b"canary-secret" * 30,)))
        for _ in reader.poll():
            reader.release(writer.writer_id, reader.mark(writer.writer_id), wipe=True)
        assert all(b"canary-secret" not in path.read_bytes() for path in segments(folder))
    assert writer.counters.recycled > 0


def test_an_open_exchange_holds_the_mark_and_its_bytes(folder: Path) -> None:
    clock = StillClock()
    writer = JournalWriter(folder, settings=small(), clock=clock)
    reader = JournalReader(folder)
    long = writer.begin(open_head(target="/long"))
    long.request_piece(b"kept" * 100, 1)
    held = Mark(1, 1, 128)
    for _ in range(20):
        play(writer, Play())
        assert [exchange.target for exchange in reader.poll()] == ["/v1/messages"]
        assert reader.mark(writer.writer_id) == held
        reader.release(writer.writer_id, Mark(1 << 40, 1 << 40, 0), wipe=True)
    long.close(Outcome.COMPLETE, clock.mono_ns, response_complete=True)
    (exchange,) = reader.poll()
    assert exchange.request_body == b"kept" * 100
    assert reader.mark(writer.writer_id).number == writer.counters.records + 1


def test_a_dead_writer_s_open_exchange_is_cut_exactly_once_and_its_folder_goes(folder: Path) -> None:
    clock = StillClock()
    writer = JournalWriter(folder, settings=small(), clock=clock)
    recorder = writer.begin(open_head())
    recorder.request_piece(b"all of it", 1)
    recorder.request_done()
    recorder.response_head(200, (), clock.mono_ns)
    recorder.response_piece(b"half", clock.mono_ns)
    clock.advance(1)
    writer.flush_due()
    reader = JournalReader(folder)
    assert list(reader.poll()) == []
    writer.close()
    (cut,) = reader.poll()
    assert (cut.outcome, cut.request_complete, cut.response_complete) == (Outcome.CUT, True, False)
    assert (cut.request_body, cut.response_body, cut.duration_us) == (b"all of it", b"half", None)
    assert list(reader.poll()) == []
    reader.release(writer.writer_id, reader.mark(writer.writer_id))
    assert list(folder.iterdir()) == []
    assert list(reader.poll()) == []
    assert reader.counters.cut == 1


def test_writers_are_read_oldest_first(folder: Path) -> None:
    clock = StillClock()
    ids = []
    for number in range(5):
        clock.advance(1)
        writer = JournalWriter(folder, settings=small(), clock=clock)
        play(writer, Play(target=f"/{number}"))
        writer.close()
        ids.append(writer.writer_id)
    assert [exchange.id.writer for exchange in read_all(folder)] == ids


def test_a_missing_segment_is_counted_and_named_and_what_follows_is_read(folder: Path) -> None:
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    for _ in range(60):
        play(writer, Play(response=(b"x" * 200,)))
    segments(folder)[2].unlink()
    reader = JournalReader(folder)
    seen = [exchange.id.number for exchange in reader.poll()]
    (gap,) = reader.gaps()
    missing = range(gap.after.number, gap.before.number)
    assert sorted([*seen, *missing]) == list(range(1, 61))
    assert (gap.after.segment, gap.before.segment) == (2, 4)
    assert reader.counters.missing_records == len(missing)


def test_an_exchange_that_ended_inside_a_missing_segment_does_not_hold_the_mark(folder: Path) -> None:
    clock = StillClock()
    writer = JournalWriter(folder, settings=small(), clock=clock)
    early = writer.begin(open_head(target="/early"))
    clock.advance(1)
    writer.flush_due()
    for _ in range(15):
        play(writer, Play(response=(b"x" * 200,)))
    early.close(Outcome.COMPLETE, clock.mono_ns, response_complete=True)
    hit = next(path for path in segments(folder) if writer.counters.segments == int(path.stem))
    for _ in range(30):
        play(writer, Play(response=(b"x" * 200,)))
    hit.unlink()
    reader = JournalReader(folder)
    seen = list(reader.poll())
    assert "/early" not in {exchange.target for exchange in seen}
    assert reader.counters.damaged == 1
    assert reader.mark(writer.writer_id).number == writer.counters.records + 1


def test_a_segment_of_a_newer_version_is_refused_by_name(folder: Path) -> None:
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    play(writer, Play())
    (path,) = segments(folder)
    with path.open("r+b") as file:
        file.seek(8)
        file.write(b"\x02\0\0\0")
    with pytest.raises(NewerVersionError, match=r"00000001\.seg: segment header: found version 2"):
        read_all(folder)


def test_two_observers_on_one_journal_are_refused(folder: Path) -> None:
    first = JournalReader(folder, exclusive=True)
    with pytest.raises(CannotWriteError, match=rf"another observer reads this journal \(process {os.getpid()}\)"):
        JournalReader(folder, exclusive=True)
    first.close()
    JournalReader(folder, exclusive=True).close()


def test_a_folder_that_is_not_there_yet_is_an_empty_journal(folder: Path) -> None:
    reader = JournalReader(folder)
    assert list(reader.poll()) == []
    assert reader.marks() == {}
    reader.release("0" * 32, Mark(1, 1, 128))
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    play(writer, Play())
    (folder / "reader.log").write_text("no writer")
    assert len(list(reader.poll())) == 1


def test_a_reader_may_be_overtaken_by_another_that_releases(folder: Path) -> None:
    writer = JournalWriter(folder, settings=small(), clock=StillClock())
    play(writer, Play())
    offline = JournalReader(folder)
    assert len(list(offline.poll())) == 1
    live = JournalReader(folder)
    for _ in range(100):
        play(writer, Play(response=(b"x" * 200,)))
        for _ in live.poll():
            live.release(writer.writer_id, live.mark(writer.writer_id), wipe=True)
    play(writer, Play(target="/last"))
    assert [exchange.target for exchange in offline.poll()][-1] == "/last"
    assert offline.counters.gaps == 0
