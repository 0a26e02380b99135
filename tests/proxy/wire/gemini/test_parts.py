from __future__ import annotations

import pytest

from proxy.model.messages import Block, BlockKind
from proxy.wire.gemini.parts import blocks_of
from tests.support.gemini import a_call, a_result


def read(*parts: object, by_model: bool = True) -> tuple[Block, ...]:
    return blocks_of(parts, by_model=by_model)


@pytest.mark.parametrize(
    ("part", "kind", "text"),
    [
        ({"text": "hello"}, BlockKind.TEXT, "hello"),
        ("hello", BlockKind.TEXT, "hello"),
        ({"text": "hm", "thought": True}, BlockKind.THINKING, ""),
        ({"text": "hello", "thought": False}, BlockKind.TEXT, "hello"),
        ({"inlineData": {"mimeType": "image/png", "data": ""}}, BlockKind.MEDIA, ""),
        ({"file_data": {"file_uri": "files/1"}}, BlockKind.MEDIA, ""),
        ({"executableCode": {"language": "PYTHON", "code": "1"}}, BlockKind.SERVER_CALL, ""),
        ({"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}, BlockKind.SERVER_RESULT, "1"),
        ({"toolCall": {"id": "t", "toolType": "GOOGLE_SEARCH", "args": {"q": 1}}}, BlockKind.SERVER_CALL, ""),
        ({"toolResponse": {"id": "t", "response": {"output": "x"}}}, BlockKind.SERVER_RESULT, "x"),
        ({"ofTheFuture": {"x": 1}}, BlockKind.OTHER, ""),
        (7, BlockKind.OTHER, ""),
    ],
)
def test_parts_by_what_they_hold(part: object, kind: BlockKind, text: str) -> None:
    [block] = read(part)
    assert (block.kind, block.text) == (kind, text)


@pytest.mark.parametrize("part", [{"text": ""}, {"thoughtSignature": "c2ln"}, {"text": "", "thought_signature": "x"}])
def test_parts_that_say_nothing_are_no_blocks(part: object) -> None:
    assert read(part) == ()


@pytest.mark.parametrize("part", [{"text": "x"}, {"inlineData": {}}, {"ofTheFuture": 1}, a_call(), {"toolCall": {}}])
def test_signatures_are_no_part_of_a_block(part: dict[str, object]) -> None:
    assert read(part | {"thoughtSignature": "c2ln"}) == read(part)


def test_texts_of_the_model_that_follow_each_other_are_one() -> None:
    blocks = read({"text": "h", "thought": True}, {"text": "m", "thought": True}, {"text": "I "}, {"text": "look"})
    assert [(block.kind, block.raw["text"]) for block in blocks] == [
        (BlockKind.THINKING, "hm"),
        (BlockKind.TEXT, "I look"),
    ]
    assert len(read({"text": "a"}, a_call(), {"text": "b"})) == 3
    assert len(read({"text": "a"}, {"text": "b"}, by_model=False)) == 2


@pytest.mark.parametrize(
    ("response", "text", "is_error"),
    [
        ({"output": "hello"}, "hello", False),
        ({"result": "hello"}, "hello", False),
        ({"error": "no such file"}, "no such file", True),
        ({"output": "hello", "error": ""}, '{"output":"hello","error":""}', False),
        ({"output": {"lines": 3}}, '{"output":{"lines":3}}', False),
        ({"lines": 3, "text": "x"}, '{"lines":3,"text":"x"}', False),
        ("hello", "hello", False),
        ([1], "[1]", False),
        (None, "", False),
    ],
)
def test_a_result_reads_as_its_text(response: object, text: str, is_error: bool) -> None:
    [block] = read({"functionResponse": {"name": "read", "response": response}})
    assert (block.kind, block.text, block.is_error) == (BlockKind.RESULT, text, is_error)


def test_a_result_and_its_call_tell_the_tool() -> None:
    call, result = read(a_call("read", "c1", path="a"), a_result("x", "read", "c1"))
    assert (call.tool, call.call_id, call.arguments) == ("read", "c1", {"path": "a"})
    assert (result.tool, result.call_id) == ("read", "c1")


def test_code_that_failed_is_an_error() -> None:
    [block] = read({"codeExecutionResult": {"outcome": "OUTCOME_FAILED", "output": "x"}})
    assert block.is_error


@pytest.mark.parametrize(
    ("call", "arguments", "raw"),
    [
        ({"name": "list"}, {}, ""),
        ({"name": "list", "args": None}, {}, ""),
        ({"name": "list", "args": {}}, {}, ""),
        ({"name": "list", "args": "x"}, None, '"x"'),
        ({"name": "list", "partialArgs": [{"jsonPath": "$.a"}], "willContinue": True}, None, '[{"jsonPath":"$.a"}]'),
    ],
)
def test_arguments_are_an_object_or_text(call: object, arguments: object, raw: str) -> None:
    [block] = read({"functionCall": call})
    assert (block.arguments, block.raw_arguments) == (arguments, raw)
