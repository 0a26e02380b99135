"""The same work in every dialect: one conversation, one reply, one bill (design §6).

Each dialect says it in its own words and counts in its own way: Messages without the cache in `input_tokens`, the
others with it; Gemini without thoughts in its output, the others with them. What was meant and what it costs must not
depend on that. What a dialect cannot say stands in `CANNOT_SAY`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import orjson
import pytest

from proxy.accounting.price_file import load_prices
from proxy.accounting.prices import Pricer
from proxy.model.messages import Block, BlockKind, Reply, Request
from proxy.model.usage import Usage
from proxy.wire.endpoint import Endpoint, dialect_for
from tests.support import chat, gemini, responses, wire

MODEL = "work-1"
PRICES = """
[[price]]
model = "work-1"
input = 3
output = 15
cache_read = 0.3
cache_write_5m = 3.75
cache_write_1h = 6
cache_write_30m = 3.75
cache_write_12h = 6
"""
AT_US = 1_793_000_000_000_000

SYSTEM, ASKED, SAID, FILE, DONE = (
    "You fix code.",
    "What is in a.py?",
    "I look.",
    "print(1)\nprint(2)",
    "It prints 1, 2.",
)
FIRST, SECOND = {"path": "a.py"}, {"path": "b.py", "limit": 3}
ERROR = "no such file"


class Counts(NamedTuple):
    """What was billed, as nobody writes it."""

    prompt: int = 1000
    read: int = 400
    written: int = 0
    output: int = 60
    reasoning: int = 20


class Telling(NamedTuple):
    """How one dialect tells the work."""

    endpoint: Endpoint
    request: Callable[[bool], dict[str, Any]]
    """With a result that is an error, or one that is not."""
    reply: Callable[[Counts], dict[str, Any]]
    stream: Callable[[dict[str, Any]], bytes]


def arguments(value: dict[str, Any]) -> str:
    return orjson.dumps(value).decode()


# --- Messages ---


def messages_request(failed: bool) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": ERROR if failed else FILE, "is_error": failed}
    return {
        "model": MODEL,
        "system": SYSTEM,
        "messages": [
            {"role": "user", "content": ASKED},
            {"role": "assistant", "content": [wire.text(SAID), wire.a_call("read", "c1", **FIRST)]},
            {"role": "user", "content": [result]},
        ],
    }


def messages_reply(counts: Counts) -> dict[str, Any]:
    usage = wire.a_usage(
        counts.prompt - counts.read - counts.written,
        counts.output,
        cache_read_input_tokens=counts.read,
        cache_creation_input_tokens=counts.written,
        output_tokens_details={"thinking_tokens": counts.reasoning},
    )
    thinking = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    call = wire.a_call("read", "c2", **SECOND)
    return wire.a_message(thinking, wire.text(DONE), call, usage=usage, model=MODEL, stop_reason="tool_use")


# --- Responses ---


def responses_request(failed: bool) -> dict[str, Any]:
    return {
        "model": MODEL,
        "instructions": SYSTEM,
        "input": [
            {"role": "user", "content": ASKED},
            responses.said(SAID),
            responses.a_call("read", "c1", **FIRST),
            responses.a_result(ERROR if failed else FILE, "c1"),
        ],
    }


def responses_reply(counts: Counts) -> dict[str, Any]:
    details = {"output_tokens_details": {"reasoning_tokens": counts.reasoning}}
    usage = responses.a_usage(counts.prompt, counts.output, cached=counts.read, written=counts.written) | details
    thinking = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
    call = responses.a_call("read", "c2", **SECOND)
    return responses.a_response(thinking, responses.said(DONE), call, usage=usage, model=MODEL)


# --- Chat Completions ---


def chat_request(failed: bool) -> dict[str, Any]:
    return chat.a_request(
        {"role": "system", "content": SYSTEM},
        chat.user(ASKED),
        chat.asks(chat.a_call("read", "c1", **FIRST), content=SAID),
        chat.result(ERROR if failed else FILE, "c1"),
        model=MODEL,
    )


def chat_reply(counts: Counts) -> dict[str, Any]:
    details = {"cached_tokens": counts.read, "cache_write_tokens": counts.written}
    usage = chat.a_usage(counts.prompt, counts.output, reasoning=counts.reasoning, prompt_tokens_details=details)
    message = {"reasoning_content": "Hm.", "content": DONE, "tool_calls": [chat.a_call("read", "c2", **SECOND)]}
    reply: dict[str, Any] = chat.a_completion(message, usage=usage, finish="tool_calls", model=MODEL)
    return reply


# --- Gemini ---


def gemini_request(failed: bool) -> dict[str, Any]:
    result = gemini.a_result(FILE, "read", "c1")
    if failed:
        result["functionResponse"]["response"] = {"error": ERROR}
    return {
        "systemInstruction": {"parts": [{"text": SYSTEM}]},
        "contents": [
            gemini.user(ASKED),
            gemini.model(SAID, gemini.a_call("read", "c1", **FIRST)),
            gemini.user(result),
        ],
    }


def gemini_reply(counts: Counts) -> dict[str, Any]:
    answered = counts.output - counts.reasoning
    usage = gemini.a_usage(counts.prompt, answered, cached=counts.read, thoughts=counts.reasoning)
    thinking = {"text": "Hm.", "thought": True}
    call = gemini.a_call("read", "c2", **SECOND)
    return gemini.a_response(thinking, DONE, call, usage=usage) | {"modelVersion": MODEL}


TELLINGS = {
    "anthropic_messages": Telling(
        wire.MESSAGES, messages_request, messages_reply, lambda reply: wire.as_bytes(wire.stream_of(reply))
    ),
    "openai_responses": Telling(
        responses.RESPONSES,
        responses_request,
        responses_reply,
        lambda reply: responses.as_bytes(responses.stream_of(reply)),
    ),
    "openai_chat": Telling(chat.CHAT, chat_request, chat_reply, lambda reply: chat.as_bytes(chat.stream_of(reply))),
    "gemini": Telling(
        dialect_for("POST", f"/v1beta/models/{MODEL}:generateContent"),
        gemini_request,
        gemini_reply,
        lambda reply: gemini.as_sse(gemini.stream_of(reply)),
    ),
}

CANNOT_SAY = {
    "openai_responses": {"a result that failed"},
    "openai_chat": {"a result that failed"},
    "gemini": {"what was written to the cache"},
}
"""Everything else is said by all. Chat shows no thinking either where OpenAI itself answers: only its tokens."""

WRITTEN_AS = {
    "anthropic_messages": "cache_write_5m",
    "openai_responses": "cache_write_30m",
    "openai_chat": "cache_write_30m",
    "gemini": "uncached",
}
"""Where tokens stand that were written for the provider's usual time. Gemini does not tell them from others."""

dialects = pytest.mark.parametrize("name", list(TELLINGS))
streamed = pytest.mark.parametrize("is_stream", [False, True], ids=["whole", "streamed"])


def read_request(name: str, *, failed: bool = False) -> Request:
    telling = TELLINGS[name]
    request = telling.endpoint.read_request(orjson.dumps(telling.request(failed)), ())
    assert isinstance(request, Request)
    return request


def read_reply(name: str, counts: Counts, *, is_stream: bool = False) -> Reply:
    telling = TELLINGS[name]
    reply = telling.reply(counts)
    reader = telling.endpoint.open_reply(200, (), read_request(name))
    reader.feed(telling.stream(reply) if is_stream else orjson.dumps(reply))
    return reader.close()


def meant(blocks: Iterable[Block]) -> list[tuple[object, ...]]:
    """What blocks mean, without how they were said."""
    return [
        (block.kind, block.text)
        if block.kind in (BlockKind.TEXT, BlockKind.THINKING)
        else (block.kind, block.call_id, block.text)
        if block.kind is BlockKind.RESULT
        else (block.kind, block.call_id, block.tool, block.arguments, block.raw_arguments)
        for block in blocks
    ]


@pytest.fixture(scope="module")
def pricer(tmp_path_factory: pytest.TempPathFactory) -> Pricer:
    path: Path = tmp_path_factory.mktemp("prices") / "prices.toml"
    path.write_text(PRICES)
    return Pricer(load_prices(path))


def cost(pricer: Pricer, reply: Reply) -> int | None:
    [iteration] = reply.iterations
    price = pricer.price(iteration, AT_US)
    assert price.reason == ""
    return price.pico_usd


@dialects
def test_the_same_question(name: str) -> None:
    request = read_request(name)
    assert (request.dialect, request.model, request.faults) == (name, MODEL, ())
    assert [block.text for block in request.system] == [SYSTEM]
    assert meant(block for message in request.messages for block in message.blocks) == [
        (BlockKind.TEXT, ASKED),
        (BlockKind.TEXT, SAID),
        (BlockKind.CALL, "c1", "read", FIRST, ""),
        (BlockKind.RESULT, "c1", FILE),
    ]
    by_model = [message.role == "assistant" for message in request.messages for _ in message.blocks]
    assert by_model == [False, True, True, False]


@dialects
@streamed
def test_the_same_answer(name: str, *, is_stream: bool) -> None:
    reply = read_reply(name, Counts(), is_stream=is_stream)
    assert (reply.model, reply.terminal, reply.error, reply.faults) == (MODEL, True, "", ())
    assert meant(reply.blocks) == [
        (BlockKind.THINKING, ""),
        (BlockKind.TEXT, DONE),
        (BlockKind.CALL, "c2", "read", SECOND, ""),
    ]


@dialects
@streamed
def test_the_same_tokens_and_the_same_cost(name: str, pricer: Pricer, *, is_stream: bool) -> None:
    reply = read_reply(name, Counts(), is_stream=is_stream)
    assert reply.usage_disagrees == ""
    assert [each.usage for each in reply.iterations] == [Usage(uncached=600, cache_read=400, output=60, reasoning=20)]
    # 600 x 3 + 400 x 0.3 + 60 x 15 USD per million
    assert cost(pricer, reply) == 2_820_000_000


@dialects
def test_what_was_written_to_the_cache_where_it_is_told(name: str, pricer: Pricer) -> None:
    reply = read_reply(name, Counts(written=100))
    [iteration] = reply.iterations
    told = Usage(uncached=500, cache_read=400, output=60, reasoning=20)
    assert iteration.usage == told + Usage(**{WRITTEN_AS[name]: 100})
    assert iteration.usage.input == 1000
    is_untold = "what was written to the cache" in CANNOT_SAY.get(name, ())
    assert (iteration.usage.cache_write == 0) is is_untold
    # 100 tokens at 3.75 instead of 3 USD per million
    assert cost(pricer, reply) == (2_820_000_000 if is_untold else 2_895_000_000)


@dialects
def test_a_result_that_failed_where_it_is_told(name: str) -> None:
    [result] = [b for m in read_request(name, failed=True).messages for b in m.blocks if b.kind is BlockKind.RESULT]
    assert (result.call_id, result.text) == ("c1", ERROR)
    assert result.is_error is ("a result that failed" not in CANNOT_SAY.get(name, ()))


@dialects
def test_the_answer_stands_in_the_next_question_as_it_was_given(name: str) -> None:
    telling = TELLINGS[name]
    body, answer = telling.request(False), telling.reply(Counts())
    reply = read_reply(name, Counts())
    match name:
        case "anthropic_messages":
            body["messages"].append({"role": "assistant", "content": answer["content"]})
        case "openai_responses":
            body["input"] += answer["output"]
        case "openai_chat":
            body["messages"].append(answer["choices"][0]["message"])
        case _:
            body["contents"].append(answer["candidates"][0]["content"])
    request = telling.endpoint.read_request(orjson.dumps(body), ())
    assert isinstance(request, Request)
    sent_back = [block for message in request.messages for block in message.blocks][4:]
    assert meant(sent_back) == meant(reply.blocks)


def test_gemini_without_ids_means_the_same_calls() -> None:
    endpoint = TELLINGS["gemini"].endpoint
    body = gemini_request(False)
    for content in body["contents"]:
        for part in content["parts"]:
            for member in ("functionCall", "functionResponse"):
                part.get(member, {}).pop("id", None)
    request = endpoint.read_request(orjson.dumps(body), ())
    assert isinstance(request, Request)
    call, result = request.messages[1].blocks[1], request.messages[2].blocks[0]
    assert call.call_id == result.call_id != ""
    assert (call.tool, call.arguments, result.text) == ("read", FIRST, FILE)
