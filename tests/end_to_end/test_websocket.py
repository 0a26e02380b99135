"""Model calls over a WebSocket through a real relay between a real client and a real server, observed meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from config.load import load
from proxy.journal.reader import JournalReader
from proxy.model.exchange import Exchange, Outcome
from proxy.model.facts import ExchangeFact, ExchangeKind
from proxy.store import open_database, snapshot
from proxy.wire.websocket import SocketExchange, open_socket
from proxy.wiring.observer import observe_until_idle
from tests.support.relay import Listener, Running, relay, until
from tests.support.websocket import answer, create, frame, from_client, from_server, said

LONG = "word " * 30_000


async def provider(request: web.Request) -> web.WebSocketResponse:
    """Answers each call; says goodbye after the one that asks for it, and leaves `wait` unanswered."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    number = 0
    async for message in socket:
        text = str(message.data)
        if "response.create" not in text:
            continue
        number += 1
        for event in answer(f"r{number}")[: 1 if "wait" in text else 3]:
            await socket.send_str(event.decode())
        if "goodbye" in text:
            await socket.close()
    return socket


@asynccontextmanager
async def served() -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_get("/v1/responses", provider)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await (site := web.TCPSite(runner, "127.0.0.1", 0)).start()
    assert site._server is not None
    try:
        yield site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]  # aiohttp knows it as any server
    finally:
        await runner.cleanup()


Talk = Callable[[aiohttp.ClientWebSocketResponse, Running], Awaitable[None]]


def talked(folder: Path, talk: Talk, *, compress: int) -> None:
    """A client's talk through the relay, to the end of its connection."""

    async def run() -> None:
        async with served() as port, aiohttp.ClientSession() as session:
            with relay(folder, port) as running:
                url = f"http://127.0.0.1:{running.listening.port}/v1/responses"
                async with session.ws_connect(url, compress=compress, headers={"session-id": "s1"}) as socket:
                    await talk(socket, running)

    asyncio.run(run())


async def ask(socket: aiohttp.ClientWebSocketResponse, text: str, events: int = 3) -> None:
    await socket.send_str(create(text).decode())
    for _ in range(events):
        await socket.receive_str(timeout=10)


async def given(reader: JournalReader, count: int) -> list[Exchange]:
    found: list[Exchange] = []

    def enough() -> bool:
        found.extend(reader.poll())
        return len(found) >= count

    await asyncio.to_thread(until, enough)
    return found


@pytest.mark.parametrize("compress", [0, 15], ids=["plain", "deflate"])
def test_each_call_comes_out_as_it_finishes(tmp_path: Path, compress: int) -> None:
    async def talk(socket: aiohttp.ClientWebSocketResponse, _: Running) -> None:
        reader = JournalReader(tmp_path / "journal", sockets=open_socket)
        for number, text in enumerate(["one", LONG, "three"], start=1):
            await ask(socket, text)
            (call,) = await given(reader, 1)
            assert (call.id.part, call.outcome, call.request_body) == (number, Outcome.COMPLETE, create(text))
            assert call.response_body == b"".join(b"data: %s\n\n" % event for event in answer(f"r{number}"))
            assert call.first_byte_us is not None
            assert call.duration_us is not None
            assert 0 <= call.first_byte_us <= call.duration_us
        await ask(socket, "goodbye")
        assert (await socket.receive(timeout=10)).type is aiohttp.WSMsgType.CLOSE
        last, whole = await given(reader, 2)
        assert (last.id.part, whole.id.part) == (4, 0)
        assert isinstance(whole, SocketExchange)
        assert (whole.unread, whole.faults) == ("", ())
        reader.close()

    talked(tmp_path, talk, compress=compress)


def test_what_a_client_left_is_told_of_the_call_and_of_the_socket(tmp_path: Path) -> None:
    async def talk(socket: aiohttp.ClientWebSocketResponse, _: Running) -> None:
        reader = JournalReader(tmp_path / "journal", sockets=open_socket)
        await socket.send_str(said("response.cancel").decode())
        await ask(socket, "wait", events=1)
        socket._response.close()
        call, whole = await given(reader, 2)
        assert (call.outcome, call.response_complete) == (Outcome.CLIENT_CLOSED, False)
        assert isinstance(whole, SocketExchange)
        assert (whole.outcome, whole.faults) == (Outcome.CLIENT_CLOSED, ("client event response.cancel (1)",))
        reader.close()

    talked(tmp_path, talk, compress=15)


def test_turns_are_in_the_store_while_the_socket_is_open(tmp_path: Path) -> None:
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings

    def kinds() -> list[tuple[int, ExchangeKind]]:
        observe_until_idle(settings)
        with open_database(settings.store.database) as database, snapshot(database) as reader:
            return [(fact.part, fact.kind) for fact in reader.facts(ExchangeFact)]

    async def talk(socket: aiohttp.ClientWebSocketResponse, _: Running) -> None:
        for number in (1, 2):
            await ask(socket, f"number {number}")
            await asyncio.to_thread(until, lambda: len(kinds()) == number)  # noqa: B023 - waited for in its own round
            assert set(kinds()) == {(part, ExchangeKind.TURN) for part in range(1, number + 1)}
        await ask(socket, "goodbye")
        await socket.receive(timeout=10)
        await asyncio.to_thread(until, lambda: (0, ExchangeKind.SOCKET) in kinds())

    talked(tmp_path, talk, compress=15)


UPGRADE = (
    b"GET /v1/responses HTTP/1.1\r\nHost: relay\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
SWITCH = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    ("extension", "asked", "parts", "unread", "faults"),
    [
        (b"", from_client(create()), {1: Outcome.COMPLETE}, "", ()),
        (b"", frame(create()), {1: Outcome.COMPLETE}, "", ("client: unmasked frame (1)",)),
        (b"Sec-WebSocket-Extensions: x-mux\r\n", from_client(create()), {}, "websocket extension: x-mux", ()),
        (b"", b"5\r\nno frame\r\n0\r\n\r\n", {1: Outcome.COMPLETE}, "", ("client: reserved bits (1)",)),
    ],
    ids=["right", "unmasked", "extension", "no frames"],
)
def test_whatever_stands_behind_an_upgrade_is_relayed_as_it_is_and_read_as_far_as_it_can_be(
    tmp_path: Path, extension: bytes, asked: bytes, parts: dict[int, Outcome], unread: str, faults: tuple[str, ...]
) -> None:
    listener = Listener()
    with relay(tmp_path, listener.port) as running:
        client = running.connect()
        client.send(UPGRADE)
        provider = listener.accept()
        provider.until()
        provider.send(SWITCH + extension + b"\r\n")
        client.until()
        client.send(asked)
        assert provider.take(len(asked)) == asked
        said_back = from_server(*answer("r1"))
        provider.send(said_back)
        assert client.take(len(said_back)) == said_back
        provider.close()
        client.rest()
        (raw,) = running.journalled()
        assert (raw.request_body, raw.response_body) == (asked, said_back)
        *calls, whole = JournalReader(tmp_path / "journal", sockets=open_socket).poll()
    listener.close()
    assert {call.id.part: call.outcome for call in calls} == parts
    assert isinstance(whole, SocketExchange)
    assert (whole.unread, whole.faults) == (unread, faults)
