from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import aiohttp
import anthropic
import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say, Think
from proxy.scripted.app import run_provider, serving
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.settings import Encoding, Latency, ProviderSettings
from tests.support.scripted import S0_TOOLS, body_of, make_tls, user

HELLO = Script(name="hello", steps=(Step(do=(Think("hm"), Say("Hello."), Read("a"))),))
CUT = Script(name="cut", steps=(Step(do=(Say("x" * 3000),), fault=Fault(kind=FaultKind.CUT)),))
HEADERS = {"x-api-key": "key"}


def provider(encoding: Encoding = Encoding.IDENTITY) -> Provider:
    latency = Latency(first_byte_s=0.001, per_piece_s=0.0001)
    return Provider(ProviderSettings(scripts=(HELLO, CUT), encoding=encoding, latency=latency))


@pytest.mark.parametrize("encoding", [Encoding.IDENTITY, Encoding.GZIP])
async def test_the_official_sdk_reads_streamed_and_whole_answers_alike(encoding: Encoding) -> None:
    messages: list[anthropic.types.MessageParam] = [{"role": "user", "content": "[script hello]"}]
    tools: list[anthropic.types.ToolParam] = [{"name": t["name"], "input_schema": {"type": "object"}} for t in S0_TOOLS]
    async with serving(provider(encoding)) as url, anthropic.AsyncAnthropic(base_url=url, api_key="key") as client:
        whole = await client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
        async with client.messages.stream(model="m", max_tokens=9, messages=messages, tools=tools) as stream:
            streamed = await stream.get_final_message()
    assert [block.type for block in whole.content] == ["thinking", "text", "tool_use"]
    assert [block.type for block in streamed.content] == ["thinking", "text", "tool_use"]
    assert whole.usage == streamed.usage


async def test_a_cut_reaches_the_client_as_a_cut() -> None:
    async with serving(provider()) as url, aiohttp.ClientSession(headers=HEADERS) as client:
        body = body_of(messages=[user("[script cut]")], stream=True)
        with pytest.raises(aiohttp.ClientPayloadError):
            async with client.post(f"{url}/v1/messages?beta=true", data=body) as answer:
                await answer.read()


async def test_a_client_that_leaves_early_harms_nobody() -> None:
    async with serving(provider()) as url, aiohttp.ClientSession(headers=HEADERS) as client:
        answer = await client.post(f"{url}/v1/messages", data=body_of(messages=[user("[script hello]")], stream=True))
        answer.close()
        async with client.post(f"{url}/v1/messages", data=body_of(messages=[user("hi")])) as second:
            assert second.status == 200


async def test_side_endpoints_answer() -> None:
    async with serving(provider()) as url, aiohttp.ClientSession(headers=HEADERS) as client:
        async with client.head(f"{url}/api/hello") as answer:
            assert answer.status == 200
        async with client.get(f"{url}/v1/models?limit=1000") as answer:
            assert (await answer.json())["data"][0]["type"] == "model"
        async with client.post(f"{url}/v1/messages/count_tokens", data=body_of(messages=[user("hi")])) as answer:
            assert (await answer.json())["input_tokens"] > 0
        async with client.post(f"{url}/v1/nothing") as answer:
            assert answer.status == 404


async def test_tls_is_verified_against_a_ca_made_for_this_run(tmp_path: Path) -> None:
    tls = make_tls(tmp_path)
    async with serving(provider(), tls=tls.server) as url:
        assert url.startswith("https://")
        trusting = ssl.create_default_context(cafile=tls.bundle)
        async with aiohttp.ClientSession() as client:
            async with client.head(url, ssl=trusting) as answer:
                assert answer.status == 200
            with pytest.raises(aiohttp.ClientConnectorCertificateError):
                await client.head(url)


async def test_it_says_when_it_is_ready_and_serves_until_cancelled() -> None:
    ready: asyncio.Queue[str] = asyncio.Queue()
    task = asyncio.create_task(run_provider(ProviderSettings(), ready=ready.put_nowait))
    url = await ready.get()
    async with aiohttp.ClientSession() as client, client.head(url) as answer:
        assert answer.status == 200
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
