from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import openai
import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say
from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.settings import Encoding, Latency, ProviderSettings

Socket = aiohttp.ClientWebSocketResponse
WORK = Script(name="work", steps=(Step(do=(Read("a"),)), Step(do=(Say("Done."),))))
CUT = Script(name="cut", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.CUT)),))
BUSY = Script(name="busy", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.STATUS, status=429)),))
TOOL = {"type": "function", "name": "read_file", "parameters": {}}
PROMPT = {"role": "user", "content": "[script work]"}
HEADERS = {"authorization": "Bearer k", "session-id": "s"}


@asynccontextmanager
async def opened(provider: Provider, *, compress: int = 15) -> AsyncIterator[Socket]:
    async with (
        serving(provider) as url,
        aiohttp.ClientSession(headers=HEADERS) as client,
        client.ws_connect(f"{url}/v1/responses", compress=compress) as socket,
    ):
        yield socket


def provider(**settings: Any) -> Provider:
    return Provider(ProviderSettings(scripts=(WORK, CUT, BUSY), deterministic=True, **settings))


async def create(socket: Socket, **fields: Any) -> None:
    await socket.send_json({"type": "response.create", "model": "m", "tools": [TOOL], "store": False, **fields})


async def answered(socket: Socket) -> list[dict[str, Any]]:
    """The events of one answer."""
    events: list[dict[str, Any]] = []
    while not events or events[-1]["type"] not in {"response.completed", "error"}:
        events.append(json.loads(await socket.receive_str()))
    return events


@pytest.mark.parametrize("compress", [0, 15])
async def test_a_chain_lives_on_the_socket_though_nothing_is_stored(compress: int) -> None:
    server = provider(encoding=Encoding.GZIP)
    async with opened(server, compress=compress) as socket:
        assert bool(socket.compress) == bool(compress)
        await create(socket, input=[PROMPT], generate=False)
        warmed = (await answered(socket))[-1]["response"]
        assert warmed["output"] == []
        await create(socket, input=[], previous_response_id=warmed["id"])
        (call,) = (await answered(socket))[-1]["response"]["output"]
        result = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}
        await create(socket, input=[result], previous_response_id=server.ledger()[-1].message_id)
        events = await answered(socket)
    assert [event["type"] for event in events][:2] == ["response.created", "response.in_progress"]
    assert events[-1]["response"]["output"][0]["content"][0]["text"] == "Done."
    assert [(served.purpose, served.session) for served in server.ledger()] == [
        ("prewarm", "s"),
        ("turn", "s"),
        ("turn", "s"),
    ]


async def test_another_socket_does_not_know_the_chain() -> None:
    server = provider()
    async with serving(server) as url, aiohttp.ClientSession(headers=HEADERS) as client:
        async with client.ws_connect(f"{url}/responses") as first:
            await create(first, input=[PROMPT])
            known = (await answered(first))[-1]["response"]["id"]
        async with client.ws_connect(f"{url}/responses") as second:
            await create(second, input=[], previous_response_id=known)
            (event,) = await answered(second)
    assert (event["type"], event["status"], event["error"]["code"]) == ("error", 400, "previous_response_not_found")


async def test_lanes_are_answered_side_by_side_and_each_in_order() -> None:
    latency = Latency(per_piece_s=0.001)
    server = Provider(ProviderSettings(scripts=(WORK,), latency=latency))
    async with opened(server) as socket:
        for lane in ("a", "b", "a"):
            await create(socket, input=[PROMPT], stream_id=lane)
        told: list[tuple[str, str]] = []
        while sum(kind == "response.completed" for _, kind in told) < 3:
            event = json.loads(await socket.receive_str())
            told.append((event["stream_id"], event["type"]))
    ends = [at for at, event in enumerate(told) if event == ("a", "response.completed")]
    starts = [at for at, event in enumerate(told) if event == ("a", "response.created")]
    assert starts[0] < ends[0] < starts[1] < ends[1]
    assert told.index(("b", "response.created")) < ends[0]


async def test_a_refusal_is_a_nested_error_and_the_socket_stays_open() -> None:
    async with opened(provider()) as socket:
        await create(socket, input=[{"role": "user", "content": "[script busy]"}], stream_id="x")
        (refused,) = await answered(socket)
        assert (refused["status"], refused["stream_id"]) == (429, "x")
        assert refused["error"]["code"] == "rate_limit_exceeded"
        for text in ("no JSON", "[]", '{"type": "response.steer"}'):
            await socket.send_str(text)
            assert (await answered(socket))[0]["error"]["param"] == "type"
        await socket.send_bytes(b"ignored")
        await create(socket, input="hi")
        assert (await answered(socket))[-1]["type"] == "response.completed"


async def test_a_cut_ends_the_connection_in_the_middle() -> None:
    async with opened(provider()) as socket:
        await create(socket, input="[script cut]")
        kinds = [frame.type async for frame in socket]
        assert socket.close_code == aiohttp.WSCloseCode.ABNORMAL_CLOSURE
    assert kinds
    assert set(kinds) == {aiohttp.WSMsgType.TEXT}


async def test_where_sockets_are_not_spoken_the_handshake_is_a_404() -> None:
    async with serving(provider(sockets=False)) as url, aiohttp.ClientSession() as client:
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{url}/v1/responses")
        assert refused.value.status == 404
        async with client.get(f"{url}/v1/responses") as answer:
            assert answer.status == 404


async def test_a_provider_that_stops_tells_its_sockets() -> None:
    stop, ready = asyncio.Event(), asyncio.Event()

    async def serve(urls: list[str]) -> None:
        async with serving(provider()) as url:
            urls.append(url)
            ready.set()
            await stop.wait()

    urls: list[str] = []
    task = asyncio.create_task(serve(urls))
    await ready.wait()
    async with aiohttp.ClientSession() as client, client.ws_connect(f"{urls[0]}/v1/responses") as socket:
        stop.set()
        assert (await socket.receive()).data == aiohttp.WSCloseCode.GOING_AWAY
    await task


async def test_openais_sdk_speaks_over_a_socket() -> None:
    kinds: list[str] = []
    async with (
        serving(provider()) as url,
        openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k") as client,
        client.responses.connect() as connection,
    ):
        await connection.response.create(model="m", input="hi")
        async for event in connection:
            kinds.append(event.type)
            if event.type == "response.completed":
                break
    assert kinds[0] == "response.created"
