from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import cast

import pytest
import uvloop

from proxy.relay.sockets import Farewell, Hold, Reading, is_delivered, peer_has_left, reset, write
from tests.support.relay import Peer, until


@dataclass
class Ends:
    """A transport and the peer at its other end."""

    transport: asyncio.Transport
    peer: Peer


def on_uvloop(scenario: Callable[[Ends], Awaitable[None]]) -> Callable[[], None]:
    """A test whose scenario runs on the loop the relay runs on."""

    async def play() -> None:
        ours, theirs = _pair()
        transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
        await scenario(Ends(transport, Peer(theirs)))
        transport.abort()
        theirs.close()

    def test() -> None:
        uvloop.run(play())

    return test


def _pair() -> tuple[socket.socket, socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ours = socket.create_connection(listener.getsockname())
        return ours, listener.accept()[0]


@dataclass
class Recorder:
    calls: list[tuple[str, object]] = field(default_factory=list)

    def write(self, data: bytes) -> None:
        self.calls.append(("write", data))

    def writelines(self, pieces: list[bytes]) -> None:
        self.calls.append(("writelines", b"".join(pieces)))

    def pause_reading(self) -> None:
        self.calls.append(("pause", None))

    def resume_reading(self) -> None:
        self.calls.append(("resume", None))


def test_pieces_are_written_in_order_with_one_call() -> None:
    recorder = Recorder()
    transport = cast("asyncio.Transport", recorder)
    write(transport, [])
    write(transport, [b"one"])
    write(transport, [b"head", b"body"])
    write(transport, [b"head", memoryview(b"large body")])
    assert recorder.calls == [("write", b"one"), ("write", b"headbody"), ("writelines", b"headlarge body")]


def test_a_client_is_read_as_long_as_nobody_holds_it() -> None:
    recorder = Recorder()
    reading = Reading(cast("asyncio.Transport", recorder))
    reading.hold(Hold.AHEAD, on=False)
    reading.hold(Hold.UPSTREAM)
    reading.hold(Hold.AHEAD)
    reading.hold(Hold.UPSTREAM, on=False)
    assert [name for name, _ in recorder.calls] == ["pause"]
    assert reading.held is Hold.AHEAD
    reading.hold(Hold.BOTH, on=False)
    assert [name for name, _ in recorder.calls] == ["pause", "resume"]


@on_uvloop
async def test_a_peer_is_seen_leaving_though_nobody_reads(ends: Ends) -> None:
    ends.transport.pause_reading()
    assert not peer_has_left(ends.transport)
    ends.peer.send(b"x" * 1000)
    ends.peer.done()
    until(lambda: peer_has_left(ends.transport))


@on_uvloop
async def test_a_peer_that_reset_has_left(ends: Ends) -> None:
    ends.transport.pause_reading()
    ends.peer.reset()
    until(lambda: peer_has_left(ends.transport))


@on_uvloop
async def test_what_the_peers_kernel_has_is_delivered(ends: Ends) -> None:
    assert is_delivered(ends.transport)
    ends.transport.write(bytes(32 << 20))
    assert not is_delivered(ends.transport)


@on_uvloop
async def test_a_reset_is_no_regular_end(ends: Ends) -> None:
    ends.transport.write(b"half")
    until(lambda: is_delivered(ends.transport))
    reset(ends.transport)
    await asyncio.sleep(0)
    with pytest.raises(ConnectionResetError):
        ends.peer.rest()


@on_uvloop
async def test_a_farewell_lets_the_peer_hear_everything_and_go_by_itself(ends: Ends) -> None:
    ends.transport.write(b"last words")
    farewell = Farewell(ends.transport, is_cut=False)
    await asyncio.sleep(0)
    assert ends.peer.rest() == b"last words"
    until(lambda: is_delivered(ends.transport))
    farewell.look(1)
    farewell.look(1_900_000_000)
    assert not ends.transport.is_closing()
    farewell.look(2_100_000_000)
    assert ends.transport.is_closing()


@on_uvloop
async def test_a_farewell_waits_for_a_slow_peer_however_long(ends: Ends) -> None:
    ends.transport.write(bytes(32 << 20))
    farewell = Farewell(ends.transport, is_cut=False)
    for second in range(1, 100):
        farewell.look(second * 1_000_000_000)
    assert not ends.transport.is_closing()


@on_uvloop
async def test_a_cut_is_shown_once_what_came_before_it_was_delivered(ends: Ends) -> None:
    ends.transport.write(b"half")
    farewell = Farewell(ends.transport, is_cut=True)
    until(lambda: is_delivered(ends.transport))
    farewell.look(1)
    await asyncio.sleep(0)
    with pytest.raises(ConnectionResetError):
        ends.peer.rest()
