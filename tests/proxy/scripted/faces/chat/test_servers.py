"""The deviations of wire-formats 3.2, seen in the bytes of streams and documents."""

from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say, Think
from proxy.scripted.faces.chat.face import Chat
from proxy.scripted.faces.chat.servers import SERVERS, ChatServer
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.settings import ProviderSettings

WORK = Script(name="work", steps=(Step(do=(Think("hm"), Say("Look."), Read("a"), Read("b"))),))
FAULTY = Script(name="faulty", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.STREAM_ERROR)),))
TOOL = {"type": "function", "function": {"name": "read_file", "parameters": {}}}


def sent(server: ChatServer, *, prompt: str = "[script work]", **fields: Any) -> bytes:
    provider = Provider(ProviderSettings(scripts=(WORK, FAULTY), deterministic=True, chat_server=server))
    body = {"model": "m", "messages": [{"role": "user", "content": prompt}], "tools": [TOOL], **fields}
    return b"".join(provider.answer({}, json.dumps(body).encode(), Chat(server)).pieces)


def document(server: ChatServer, **fields: Any) -> dict[str, Any]:
    whole: dict[str, Any] = json.loads(sent(server, **fields))
    return whole


def chunks(server: ChatServer, *, usage: bool = False, **fields: Any) -> list[dict[str, Any]]:
    asked: dict[str, Any] = {"stream_options": {"include_usage": True}} if usage else {}
    lines = sent(server, stream=True, **asked, **fields).decode().splitlines()
    texts = [line.removeprefix("data:").strip() for line in lines if line.startswith("data:")]
    return [json.loads(text) for text in texts if text != "[DONE]"]


def rebuilt(told: list[dict[str, Any]]) -> tuple[str, list[tuple[str, Any]]]:
    """Text and calls put together again, by place or, without one, by their order."""
    text, calls = "", list[list[Any]]()
    for chunk in told:
        for choice in chunk["choices"]:
            text += choice["delta"].get("content") or ""
            for part in choice["delta"].get("tool_calls", ()):
                if "name" in part["function"]:
                    calls.append([part["function"]["name"], part["function"]["arguments"]])
                else:
                    calls[part["index"]][1] += part["function"]["arguments"]
    read = [(name, json.loads(each) if isinstance(each, str) else each) for name, each in calls]
    return text, read


@pytest.mark.parametrize("name", SERVERS)
def test_every_server_says_the_same_in_its_own_way(name: str) -> None:
    text, calls = rebuilt(chunks(SERVERS[name]))
    assert (text, calls) == ("Look.", [("read_file", {"path": "a"}), ("read_file", {"path": "b"})])


def test_openai_tells_usage_only_when_asked_and_then_in_a_chunk_of_its_own() -> None:
    assert all("usage" not in chunk for chunk in chunks(SERVERS["openai"]))
    told = chunks(SERVERS["openai"], usage=True)
    assert [chunk["usage"] for chunk in told[:-1]] == [None] * (len(told) - 1)
    assert (told[-1]["choices"], told[-1]["usage"]["prompt_tokens"] > 0) == ([], True)
    assert sent(SERVERS["openai"], stream=True).endswith(b"data: [DONE]\n\n")


def test_vllm_repeats_usage_in_every_chunk_and_has_fields_of_its_own() -> None:
    told = chunks(SERVERS["vllm"], usage=True)
    assert all(chunk["usage"]["completion_tokens"] for chunk in told)
    assert "prompt_tokens_details" not in told[-1]["usage"]
    assert any("reasoning" in choice["delta"] for chunk in told for choice in chunk["choices"])
    assert {"stop_reason", "token_ids"} <= document(SERVERS["vllm"])["choices"][0].keys()


def test_llama_cpp_tells_usage_and_timings_with_the_finish_reason_unasked() -> None:
    last = chunks(SERVERS["llama.cpp"])[-1]
    assert last["choices"][0]["finish_reason"] == "tool_calls"
    assert last["timings"]["prompt_n"] + last["timings"]["cache_n"] == last["usage"]["prompt_tokens"]
    assert document(SERVERS["llama.cpp"])["choices"][0]["message"]["reasoning_content"] == "hm"


def test_ollama_sends_whole_calls_and_bare_usage() -> None:
    told = chunks(SERVERS["ollama"])
    calls = [part for chunk in told for part in chunk["choices"][0]["delta"].get("tool_calls", ())]
    assert [json.loads(call["function"]["arguments"])["path"] for call in calls] == ["a", "b"]
    assert set(document(SERVERS["ollama"])["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}


def test_openrouter_comments_and_puts_errors_into_chunks() -> None:
    assert sent(SERVERS["openrouter"], stream=True).startswith(b": OPENROUTER PROCESSING\n\n")
    broken = chunks(SERVERS["openrouter"], prompt="[script faulty]")
    assert broken[-1]["error"]["code"] == 503
    assert document(SERVERS["openrouter"])["provider"] == "Scripted"


def test_openai_puts_an_error_into_the_stream_as_well() -> None:
    assert chunks(SERVERS["openai"], prompt="[script faulty]")[-1]["error"]["code"] == "server_is_overloaded"


def test_deepseek_tells_hits_and_misses() -> None:
    usage = document(SERVERS["deepseek"])["usage"]
    assert usage["prompt_cache_hit_tokens"] + usage["prompt_cache_miss_tokens"] == usage["prompt_tokens"]


def test_the_worst_of_many_servers() -> None:
    raw = sent(SERVERS["worst"], stream=True)
    assert b"[DONE]" not in raw
    assert b"data:{" in raw
    assert b"}\r\n\r\n" in raw
    choice = document(SERVERS["worst"])["choices"][0]
    assert (choice["finish_reason"], choice["message"]["tool_calls"][0]["function"]["arguments"]) == (
        "stop",
        {"path": "a"},
    )


def test_a_server_may_forget_the_ids_of_calls() -> None:
    assert "id" not in document(ChatServer(calls_with_ids=False))["choices"][0]["message"]["tool_calls"][0]
