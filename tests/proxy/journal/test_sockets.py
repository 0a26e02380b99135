"""Sockets in a journal: their calls come out as they end, in the order said, and a restart anywhere loses none."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxy.journal.layout import REQUEST_CAPPED, RESPONSE_CAPPED, Mark
from proxy.journal.payloads import encode_pieces
from proxy.journal.reader import JournalReader
from proxy.journal.sockets import in_order
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Exchange, Outcome
from tests.support.journal import Play, StillClock, broken_file, play, segments, small
from tests.support.sockets import RecordedSocket
from tests.support.websocket import from_client, from_server

QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class Lines:
    """A splitter that needs no wire format: each piece of the client is a call, each of the server ends the oldest."""

    def __init__(self, handshake: Exchange) -> None:
        self._handshake = handshake
        self._open: list[Exchange] = []
        self._parts = 0
        self.stopped: list[bool] = []

    def feed(self, data: bytes, *, from_client: bool, at_us: int) -> Iterator[Exchange]:
        if from_client:
            self._parts += 1
            name = self._handshake.id._replace(part=self._parts)
            self._open.append(replace(self._handshake, id=name, request_body=data, first_byte_us=at_us))
        else:
            yield replace(self._open.pop(0), response_body=data, duration_us=at_us, outcome=Outcome.COMPLETE)

    def stop(self, *, from_client: bool) -> Iterator[Exchange]:
        self.stopped.append(from_client)
        return iter(())

    def close(self, socket: Exchange) -> Iterator[Exchange]:
        yield from self._open
        yield socket


def lines(handshake: Exchange) -> Lines | None:
    return Lines(handshake) if handshake.target == "/v1/responses" else None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


class Desk:
    """A writer, a socket on it and a reader."""

    def __init__(self, folder: Path, **limits: object) -> None:
        self.clock = StillClock()
        self.writer = JournalWriter(folder, settings=small(**limits), clock=self.clock)
        self.reader = JournalReader(folder, sockets=lines)
        self.socket = RecordedSocket(self.writer, self.clock)

    def poll(self) -> list[str]:
        return [named(exchange) for exchange in self.reader.poll()]

    def mark(self) -> Mark:
        return self.reader.mark(self.writer.writer_id)


def named(exchange: Exchange) -> str:
    return f"{exchange.id.number}.{exchange.id.part} {exchange.outcome}"


def test_calls_come_out_while_the_socket_is_open_and_it_holds_the_mark(folder: Path) -> None:
    desk = Desk(folder)
    begin = Mark(1, 1, 128)
    for number in range(1, 4):
        desk.socket.client(b"ask")
        assert desk.poll() == []
        desk.socket.server(b"answer")
        assert desk.poll() == [f"1.{number} complete"]
        assert desk.mark() == begin
    desk.socket.client(b"ask")
    desk.socket.end()
    assert desk.poll() == ["1.4 cut", "1.0 complete"]
    assert desk.mark().number == desk.writer.counters.records + 1
    assert (desk.reader.counters.calls, desk.reader.counters.exchanges) == (4, 1)


def test_the_socket_itself_has_no_bodies_and_says_how_it_ended(folder: Path) -> None:
    desk = Desk(folder)
    desk.socket.client(b"ask")
    desk.socket.server(b"answer")
    desk.socket.end(Outcome.CLIENT_CLOSED)
    call, socket = desk.reader.poll()
    assert (call.request_body, call.response_body) == (from_client(b"ask"), from_server(b"answer"))
    assert (call.status, call.first_byte_us, call.duration_us) == (101, 2_000, 3_000)
    assert (socket.request_body, socket.response_body, socket.status) == (b"", b"", 101)
    assert (socket.outcome, socket.duration_us, socket.request_complete) == (Outcome.CLIENT_CLOSED, 4_000, True)


def test_a_socket_that_nobody_splits_and_a_refused_upgrade_stay_whole(folder: Path) -> None:
    desk = Desk(folder)
    for target, status in (("/v1/realtime", 101), ("/v1/responses", 426)):
        other = RecordedSocket(desk.writer, desk.clock, target=target, status=status)
        other.client(b"ask")
        other.server(b"answer")
        other.end()
    assert [exchange.response_body for exchange in desk.reader.poll()] == [b"\x81\x06answer"] * 2


def test_what_both_directions_said_is_put_in_order_by_its_times() -> None:
    client = encode_pieces([1, 1, 1], [10, 30, 50]) + b"ace"
    server = encode_pieces([1, 1], [20, 30]) + b"bd"
    pieces = in_order(client, server, REQUEST_CAPPED | RESPONSE_CAPPED)
    assert [(piece.mono_ns, piece.from_client, piece.data) for piece in pieces] == [
        (10, True, b"a"),
        (20, False, b"b"),
        (30, True, b"c"),
        (30, False, b"d"),
        (30, False, None),
        (50, True, b"e"),
        (50, True, None),
    ]
    assert list(in_order(b"", b"", 0)) == []
    assert [piece.data for piece in in_order(b"", server, REQUEST_CAPPED)] == [None, b"b", b"d"]


def test_pieces_that_share_a_record_are_fed_in_the_order_said(folder: Path) -> None:
    desk = Desk(folder)
    for _ in range(3):
        desk.socket.client(b"ask", hold=True)
        desk.socket.server(b"answer", hold=True)
    desk.socket.flush()
    assert desk.poll() == ["1.1 complete", "1.2 complete", "1.3 complete"]


def test_a_pass_left_inside_a_record_is_gone_on_with(folder: Path) -> None:
    desk = Desk(folder)
    for _ in range(3):
        desk.socket.client(b"ask", hold=True)
        desk.socket.server(b"answer", hold=True)
    desk.socket.end()
    assert [named(exchange) for exchange in islice(desk.reader.poll(), 2)] == ["1.1 complete", "1.2 complete"]
    assert desk.mark() == Mark(1, 1, 128)
    assert desk.poll() == ["1.3 complete", "1.0 complete"]
    assert desk.poll() == []


def test_a_relay_killed_in_the_middle_leaves_finished_calls_whole_and_the_open_one_cut(folder: Path) -> None:
    desk = Desk(folder)
    desk.socket.client(b"ask")
    desk.socket.server(b"answer")
    desk.socket.client(b"ask")
    desk.writer.close()
    assert desk.poll() == ["1.1 complete", "1.2 cut", "1.0 cut"]
    assert desk.poll() == []
    assert (desk.reader.counters.cut, desk.reader.counters.calls) == (1, 2)
    desk.reader.release(desk.writer.writer_id, desk.mark())
    assert list(folder.iterdir()) == []


def test_of_a_damaged_socket_only_what_had_ended_before_is_given_out(folder: Path) -> None:
    desk = Desk(folder, first_segment_bytes=1 << 16)
    desk.socket.client(b"ask")
    desk.socket.server(b"answer")
    desk.socket.client(b"damaged")
    desk.socket.server(b"answer")
    desk.socket.end()
    play(desk.writer, Play())
    desk.writer.close()
    (path,) = segments(folder)
    raw = path.read_bytes()
    hit = raw.rindex(b"answer")
    path.write_bytes(raw[:hit] + b"?" + raw[hit + 1 :])
    assert desk.poll() == ["1.1 complete", "2.0 complete"]
    assert (desk.reader.counters.damaged, desk.reader.counters.missing_records) == (1, 1)


def test_of_a_socket_whose_recording_failed_only_what_had_ended_before_is_given_out(folder: Path) -> None:
    desk = Desk(folder)
    desk.socket.client(b"ask")
    desk.socket.server(b"answer")
    desk.socket.client(b"ask")
    with broken_file(desk.writer, "/dev/full"):
        desk.socket.server(b"answer")
    desk.clock.advance(2)
    desk.writer.flush_due()
    play(desk.writer, Play())
    assert desk.poll() == ["1.1 complete", "2.0 complete"]
    assert desk.reader.counters.lost == 1
    assert desk.mark().number == desk.writer.counters.records + 1


@pytest.mark.parametrize("size", [19, 20, 21])
def test_a_direction_that_reached_its_cap_is_told_while_the_socket_is_open(folder: Path, size: int) -> None:
    splitters: list[Lines] = []

    def kept(handshake: Exchange) -> Lines:
        splitters.append(Lines(handshake))
        return splitters[-1]

    clock = StillClock()
    writer = JournalWriter(folder, settings=small(body_cap_bytes=20), clock=clock)
    reader = JournalReader(folder, sockets=kept)
    socket = RecordedSocket(writer, clock)
    socket.client_piece(b"x" * size)
    assert list(reader.poll()) == []
    assert splitters[0].stopped == ([True] if size > 20 else [])
    socket.client_piece(b"yy", hold=True)
    socket.server(b"answer")
    calls = list(reader.poll())
    assert splitters[0].stopped == [True]
    assert [call.request_body for call in calls] == [b"x" * min(size, 20)]
    socket.end()
    *_, whole = reader.poll()
    assert whole.request_lost == size + 2 - 20


def test_segments_behind_an_open_socket_are_not_kept_open(folder: Path) -> None:
    desk = Desk(folder)
    for _ in range(60):
        play(desk.writer, Play(response=(b"x" * 300,)))
        desk.socket.client(b"ask")
        desk.socket.server(b"y" * 300)
    assert len(list(desk.reader.poll())) == 120
    (follower,) = desk.reader._followers.values()
    assert len(segments(folder)) > 8
    assert len(follower._files) == 1


@QUICK
@given(
    steps=st.lists(st.sampled_from(["client", "server", "other", "flush"]), min_size=4, max_size=30),
    stop=st.integers(0, 20),
    ends=st.booleans(),
)
def test_a_reader_started_again_anywhere_gives_the_same_calls_once(
    folder: Path, steps: list[str], stop: int, ends: bool
) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    desk, asked = Desk(folder), 0
    for step in steps:
        if step == "client":
            asked += 1
            desk.socket.client(b"ask" * 30, hold=True)
        elif step == "server" and asked:
            asked -= 1
            desk.socket.server(b"answer" * 20, hold=True)
        elif step == "other":
            play(desk.writer, Play())
        else:
            desk.socket.flush()
    if ends:
        desk.socket.end()
    desk.writer.close()
    expected = list(JournalReader(folder, sockets=lines).poll())
    taken = []
    first = JournalReader(folder, sockets=lines)
    marks: dict[str, Mark] = {}
    for exchange in islice(first.poll(), stop):
        taken.append(exchange)
        marks[exchange.id.writer] = first.mark(exchange.id.writer)
        first.release(exchange.id.writer, marks[exchange.id.writer], wipe=True)
    first.close()
    second = JournalReader(folder, marks=marks, sockets=lines)
    again = [exchange for exchange in second.poll() if exchange not in taken]
    assert taken + again == expected
    second.close()
