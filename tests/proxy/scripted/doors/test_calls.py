"""The vendors' own SDKs against real sockets."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import openai
import pytest
from google import genai
from google.genai import types
from openai.types.responses import FunctionToolParam, ResponseFunctionToolCall

from proxy.scripted.actions import Fault, FaultKind, Read, Say
from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.settings import ProviderSettings

HELLO = Script(name="hello", steps=(Step(do=(Say("Hello."), Read("a"))), Step(do=(Say("Done."),))))
BUSY = Script(name="busy", steps=(Step(do=(Say("Better."),), fault=Fault(kind=FaultKind.STATUS, retry_after_s=0)),))
TOOL: FunctionToolParam = {"type": "function", "name": "read_file", "parameters": {"type": "object"}, "strict": False}
CHAT_TOOL: Any = {"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}
CHAT: Any = [{"role": "user", "content": "[script hello]"}]


@pytest.fixture
async def provider() -> AsyncIterator[tuple[Provider, str]]:
    made = Provider(ProviderSettings(scripts=(HELLO, BUSY)))
    async with serving(made) as url:
        yield made, url


async def test_openais_sdk_reads_streamed_and_whole_responses_alike(provider: tuple[Provider, str]) -> None:
    async with openai.AsyncOpenAI(base_url=f"{provider[1]}/v1", api_key="k") as client:
        whole = await client.responses.create(model="m", input="[script hello]", tools=[TOOL])
        async with client.responses.stream(model="m", input="[script hello]", tools=[TOOL]) as stream:
            async for _ in stream:
                pass
            streamed = await stream.get_final_response()
        assert [item.type for item in whole.output] == ["message", "function_call"]
        assert [item.type for item in streamed.output] == ["message", "function_call"]
        assert (whole.usage, whole.output_text) == (streamed.usage, streamed.output_text)


async def test_openais_sdk_chains_counts_compacts_and_deletes(provider: tuple[Provider, str]) -> None:
    async with openai.AsyncOpenAI(base_url=f"{provider[1]}/v1", api_key="k") as client:
        first = await client.responses.create(model="m", input="[script hello]", tools=[TOOL])
        call = first.output[1]
        assert isinstance(call, ResponseFunctionToolCall)
        second = await client.responses.create(
            model="m",
            tools=[TOOL],
            previous_response_id=first.id,
            input=[{"type": "function_call_output", "call_id": call.call_id, "output": "x"}],
        )
        counted = await client.responses.input_tokens.count(model="m", input="hi")
        compacted = await client.responses.compact(model="m", previous_response_id=second.id)
        assert second.output_text == "Done."
        assert counted.input_tokens > 0
        assert [item.type for item in compacted.output] == ["message", "compaction"]
        assert (await client.responses.retrieve(second.id)).output_text == "Done."
        await client.responses.delete(second.id)
        with pytest.raises(openai.NotFoundError):
            await client.responses.retrieve(second.id)
        with pytest.raises(openai.BadRequestError) as refused:
            await client.responses.create(model="m", input="on", previous_response_id=second.id)
        assert refused.value.code == "previous_response_not_found"


async def test_openais_sdk_continues_a_conversation(provider: tuple[Provider, str]) -> None:
    async with openai.AsyncOpenAI(base_url=f"{provider[1]}/v1", api_key="k") as client:
        conversation = await client.conversations.create(items=[{"role": "user", "content": "[script hello]"}])
        response = await client.responses.create(model="m", input=[], tools=[TOOL], conversation=conversation.id)
        assert response.output_text == "Hello."


async def test_openais_sdk_reads_streamed_and_whole_completions_alike(provider: tuple[Provider, str]) -> None:
    async with openai.AsyncOpenAI(base_url=f"{provider[1]}/v1", api_key="k") as client:
        whole = await client.chat.completions.create(model="m", messages=CHAT, tools=[CHAT_TOOL])
        options: Any = {"include_usage": True}
        async with client.chat.completions.stream(
            model="m", messages=CHAT, tools=[CHAT_TOOL], stream_options=options
        ) as stream:
            async for _ in stream:
                pass
            streamed = await stream.get_final_completion()
    message, same = whole.choices[0].message, streamed.choices[0].message
    assert (message.content, same.content) == ("Hello.", "Hello.")
    assert message.tool_calls is not None
    assert same.tool_calls is not None
    assert [each.type for each in message.tool_calls] == [each.type for each in same.tool_calls] == ["function"]
    assert whole.usage == streamed.usage


async def test_openais_sdk_tries_again_when_the_provider_is_overloaded(provider: tuple[Provider, str]) -> None:
    made, url = provider
    async with openai.AsyncOpenAI(base_url=f"{url}/v1", api_key="k", max_retries=1) as client:
        response = await client.responses.create(model="m", input="[script busy]")
    assert response.output_text == "Better."
    assert [(served.status, served.attempt) for served in made.ledger()] == [(503, 1), (200, 2)]


@pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
async def test_googles_sdk_reads_streamed_and_whole_answers_alike(provider: tuple[Provider, str]) -> None:
    made, url = provider
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url))
    declared = types.FunctionDeclaration(name="read_file", parameters_json_schema={"type": "object"})
    config = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[declared])])
    asked: Any = {"model": "g", "contents": "[script hello]", "config": config}
    whole = await client.aio.models.generate_content(**asked)
    chunks = [chunk async for chunk in await client.aio.models.generate_content_stream(**asked)]
    counted = await client.aio.models.count_tokens(model="g", contents="hi")
    await client.aio.aclose()
    assert whole.function_calls is not None
    assert chunks[-1].function_calls is not None
    assert whole.function_calls[0].args == chunks[-1].function_calls[0].args == {"path": "a"}
    assert whole.usage_metadata == chunks[-1].usage_metadata
    assert (counted.total_tokens or 0) > 0
    assert [served.dialect for served in made.ledger()] == ["gemini", "gemini"]


async def test_gemini_streams_an_array_without_sse_and_takes_a_key_in_the_address(
    provider: tuple[Provider, str],
) -> None:
    made, url = provider
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}
    address = f"{url}/v1beta/models/g:streamGenerateContent?key=secret"
    async with aiohttp.ClientSession() as client, client.post(address, json=body) as answer:
        told = json.loads(await answer.read())
    assert isinstance(told, list)
    assert made.ledger()[0].headers["x-goog-api-key"] == "secret"


@pytest.mark.parametrize("prefix", ["", "/v1", "/backend-api/codex"])
async def test_base_urls_may_end_in_v1_or_not(provider: tuple[Provider, str], prefix: str) -> None:
    async with aiohttp.ClientSession() as client:
        body = {"model": "m", "input": "hi"}
        async with client.post(f"{provider[1]}{prefix}/responses", json=body) as answer:
            assert answer.status == 200
            assert answer.headers["x-request-id"].startswith("req_")
