"""What servers beside OpenAI do differently, one by one (wire-formats 3.2); `docs/usage.md` lists the same names."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from proxy.model.messages import BlockKind, Reply
from proxy.model.usage import Usage
from tests.support.chat import (
    a_call,
    a_chunk,
    a_completion,
    a_fragment,
    a_usage,
    as_bytes,
    read_chunks,
    read_document,
    read_stream,
)

END = a_chunk(finish="stop")
BARE = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}


def billed(reply: Reply) -> list[Usage]:
    assert reply.usage_disagrees == ""
    return [iteration.usage for iteration in reply.iterations]


def test_vllm_extra_keys_are_passed_over() -> None:
    extra: dict[str, Any] = {
        "prompt_logprobs": None,
        "prompt_token_ids": [1],
        "kv_transfer_params": None,
        "metrics": {},
    }
    document = a_completion({"content": "hi", "tool_calls": []}) | extra
    document["choices"][0] |= {"stop_reason": 7, "token_ids": [1, 2]}
    reply = read_document(document)
    assert [block.text for block in reply.blocks] == ["hi"]
    assert (reply.terminal, reply.faults) == (True, ())


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_vllm_and_ollama_thinking_is_no_text(field: str) -> None:
    streamed = read_chunks(a_chunk({field: "h"}), a_chunk({field: "m"}), a_chunk({"content": "hi"}), END)
    whole = read_document(a_completion({"content": "hi", field: "hm"}))
    for reply in (streamed, whole):
        assert [(block.kind, block.text) for block in reply.blocks] == [
            (BlockKind.THINKING, ""),
            (BlockKind.TEXT, "hi"),
        ]
        assert reply.blocks[0].raw == {field: "hm"}


def test_vllm_usage_in_every_chunk_counts_once_the_last() -> None:
    reply = read_chunks(
        *[a_chunk({"content": "x"}, usage=a_usage(100, n)) for n in range(1, 4)],
        a_chunk(finish="stop", usage=a_usage(100, 4)),
    )
    assert billed(reply) == [Usage(uncached=100, output=4)]


def test_vllm_without_prompt_details_has_read_nothing() -> None:
    assert billed(read_chunks(END, a_chunk(usage=BARE))) == [Usage(uncached=100, output=7)]


def test_llama_cpp_usage_comes_with_the_finish_reason() -> None:
    timings = {"cache_n": 60, "prompt_n": 40, "predicted_n": 7, "prompt_ms": 1.5}
    reply = read_chunks(a_chunk(finish="stop", usage=BARE, timings=timings))
    assert billed(reply) == [Usage(uncached=40, cache_read=60, output=7)]
    assert reply.usage_raw == BARE | {"timings": timings}


def test_llama_cpp_timings_alone_are_no_usage() -> None:
    assert billed(read_chunks(a_chunk(finish="stop", timings={"cache_n": 60, "prompt_n": 40}))) == []


def test_ollama_sends_calls_whole() -> None:
    first = a_call("read", "call_a", path="a") | {"index": 0}
    second = a_call("read", "call_b", path="b") | {"index": 0}
    reply = read_chunks(a_chunk({"tool_calls": [first]}), a_chunk({"tool_calls": [second]}), END)
    assert [(block.call_id, block.arguments) for block in reply.blocks] == [
        ("call_a", {"path": "a"}),
        ("call_b", {"path": "b"}),
    ]


def test_ollama_error_codes_may_be_null() -> None:
    body = {"error": {"message": "m", "type": "not_found_error", "param": {"any": 1}, "code": None}}
    assert read_document(body, status=404).error == "not_found_error"


def test_openrouter_comments_are_passed_over() -> None:
    comment = b": OPENROUTER PROCESSING\n\n"
    reply = read_stream(comment + as_bytes([a_chunk({"content": "hi"})], end=comment) + as_bytes([END]))
    assert (reply.blocks[0].text, reply.terminal, reply.faults) == ("hi", True, ())


def test_openrouter_errors_inside_a_stream_have_a_number() -> None:
    broken = a_chunk({"content": ""}, finish="error", error={"code": 502, "message": "m", "metadata": {}})
    reply = read_chunks(a_chunk({"content": "h"}), broken)
    assert (reply.error, reply.blocks[0].text) == ("error_502", "h")


def test_openrouter_an_error_may_be_a_finish_reason_alone() -> None:
    assert read_chunks(a_chunk({"content": "h"}), a_chunk(finish="error")).error == "finish_error"


def test_openrouter_cost_and_provider_are_kept_and_not_counted() -> None:
    usage = BARE | {"cost": 0.01, "cost_details": {"upstream_inference_cost": 0.01}}
    reply = read_document(a_completion({"content": "hi"}, usage=usage, provider="P", model="openai/gpt-5.5"))
    assert billed(reply) == [Usage(uncached=100, output=7)]
    assert reply.usage_raw == usage


@pytest.mark.parametrize("message", [{"content": None}, {}, {"content": ""}])
def test_content_is_null_or_missing(message: dict[str, object]) -> None:
    document = a_completion({})
    document["choices"][0]["message"] = message | {"tool_calls": [a_call()]}
    assert [block.kind for block in read_document(document).blocks] == [BlockKind.CALL]


def test_the_index_of_a_call_is_missing() -> None:
    reply = read_chunks(
        a_chunk(a_fragment('{"path":', None, id="a", name="read")),
        a_chunk(a_fragment('"x"}', None)),
        a_chunk(a_fragment("{}", None, id="b", name="list")),
        END,
    )
    assert [(block.call_id, block.arguments) for block in reply.blocks] == [("a", {"path": "x"}), ("b", {})]


def test_the_id_of_a_call_is_missing() -> None:
    reply = read_chunks(a_chunk(a_fragment("{}", name="read")), a_chunk(a_fragment("{}", 1, name="read")), END)
    assert len({block.call_id for block in reply.blocks}) == 2


def test_the_id_of_a_call_is_repeated() -> None:
    reply = read_chunks(
        a_chunk(a_fragment('{"path"', id="a", name="read")), a_chunk(a_fragment(':"x"}', id="a", name="read")), END
    )
    assert [(block.call_id, block.tool, block.arguments) for block in reply.blocks] == [("a", "read", {"path": "x"})]


def test_two_calls_have_one_id() -> None:
    reply = read_document(a_completion({"tool_calls": [a_call(call="x", path="a"), a_call(call="x", path="b")]}))
    assert [block.call_id for block in reply.blocks] == ["x", "x~2"]


def test_arguments_are_an_object() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": {"path": "x"}}}
    streamed = read_chunks(a_chunk({"tool_calls": [call | {"index": 0}]}), END)
    whole = read_document(a_completion({"tool_calls": [call]}))
    assert [reply.blocks[0].arguments for reply in (streamed, whole)] == [{"path": "x"}] * 2


def test_finish_reason_stop_with_calls() -> None:
    reply = read_document(a_completion({"tool_calls": [a_call()]}, finish="stop"))
    assert ([block.kind for block in reply.blocks], reply.stop_reason) == ([BlockKind.CALL], "stop")


def test_usage_is_null_until_the_last_chunk() -> None:
    reply = read_chunks(a_chunk({"content": "hi"}, usage=None), END | {"usage": None}, a_chunk(usage=BARE))
    assert billed(reply) == [Usage(uncached=100, output=7)]


def test_usage_in_a_chunk_without_choices() -> None:
    for last in ({"choices": [], "usage": BARE}, {"usage": BARE}, {"choices": None, "usage": BARE}):
        assert billed(read_chunks(a_chunk({"content": "hi"}), END, last)) == [Usage(uncached=100, output=7)]


def test_deepseek_tells_hits_and_misses() -> None:
    usage = BARE | {"prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 36}
    assert billed(read_document(a_completion({}, usage=usage))) == [Usage(uncached=36, cache_read=64, output=7)]


def test_xai_leaves_reasoning_out_of_the_completion() -> None:
    usage = BARE | {"total_tokens": 157, "completion_tokens_details": {"reasoning_tokens": 50}}
    assert billed(read_document(a_completion({}, usage=usage))) == [Usage(uncached=100, output=57, reasoning=50)]


def test_done_is_missing() -> None:
    assert read_chunks(a_chunk({"content": "hi"}), END, end=b"").terminal


@pytest.mark.parametrize(
    ("start", "end"), [(b"data: ", b"\r\n\r\n"), (b"data:", b"\n\n"), (b"data:", b"\r\r"), (b"id: 1\ndata: ", b"\n\n")]
)
def test_line_ends_and_blanks_of_every_kind(start: bytes, end: bytes) -> None:
    chunks = (a_chunk({"content": "hi"}), a_chunk(finish="stop", usage=BARE))
    reply = read_stream(b"".join(start + orjson.dumps(chunk) + end for chunk in chunks) + start + b"[DONE]" + end)
    assert (reply.blocks[0].text, reply.terminal, reply.faults) == ("hi", True, ())


def test_a_json_document_answers_a_streaming_request() -> None:
    assert read_document(a_completion({"content": "hi"})).terminal


def test_a_stream_of_one_whole_completion() -> None:
    reply = read_chunks(a_completion({"content": "hi", "tool_calls": [a_call()]}))
    assert [block.kind for block in reply.blocks] == [BlockKind.TEXT, BlockKind.CALL]
    assert reply.terminal


def test_content_comes_in_parts() -> None:
    thinking, said = {"type": "thinking", "thinking": []}, {"type": "text", "text": "hi"}
    reply = read_chunks(a_chunk({"content": [thinking]}), a_chunk({"content": [said]}), a_chunk({"content": "!"}), END)
    assert [block.kind for block in reply.blocks] == [BlockKind.THINKING, BlockKind.TEXT, BlockKind.TEXT]
