from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import BlockKind, Request
from proxy.wire.call_names import UNNAMED
from proxy.wire.dialect import Unparsed
from proxy.wire.endpoint import dialect_for
from tests.support.gemini import GEMINI, MODEL, a_call, a_result, model, read_request, user

WORK = [user("read it"), model("I look.", a_call(path="a")), user(a_result("hello"))]


def test_a_conversation_with_a_call() -> None:
    request = read_request({"systemInstruction": {"parts": [{"text": "be brief"}]}, "contents": WORK})
    assert [block.text for block in request.system] == ["be brief"]
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    said, asked = request.messages[1].blocks
    [answered] = request.messages[2].blocks
    assert (said.kind, said.text) == (BlockKind.TEXT, "I look.")
    assert (asked.kind, asked.tool, asked.arguments) == (BlockKind.CALL, "read", {"path": "a"})
    assert (answered.kind, answered.text, answered.call_id) == (BlockKind.RESULT, "hello", asked.call_id)
    assert asked.call_id.startswith(UNNAMED)
    assert (request.dialect, request.model, request.stream, request.faults) == ("gemini", MODEL, True, ())


@pytest.mark.parametrize(
    ("target", "name", "stream"),
    [
        ("/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro", False),
        ("/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=[redacted]", "gemini-2.5-pro", True),
        ("/v1/projects/p/locations/l/publishers/google/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro", False),
        ("/v1beta/models/gemini%2D2.5-pro:generateContent/", "gemini-2.5-pro", False),
        ("/v1beta/tunedModels/mine:generateContent", "tunedModels/mine", False),
        ("/v1/projects/p/locations/l/endpoints/7:generateContent", "endpoints/7", False),
    ],
)
def test_the_path_names_the_model(target: str, name: str, stream: bool) -> None:
    request = read_request({"contents": WORK, "model": "another"}, endpoint=dialect_for("POST", target))
    assert (request.model, request.stream) == (name, stream)


def test_the_envelope_of_gemini_cli_names_the_model() -> None:
    endpoint = dialect_for("POST", "/v1internal:streamGenerateContent?alt=sse")
    inner = {"contents": WORK, "session_id": "s", "generationConfig": {}}
    envelope = {"model": MODEL, "project": "p", "user_prompt_id": "u", "request": inner}
    request = read_request(envelope, endpoint=endpoint)
    assert (request.model, request.stream, len(request.messages)) == (MODEL, True, 3)
    assert request.metadata == {"session_id": "s", "generationConfig": {}, "project": "p", "user_prompt_id": "u"}


def test_both_spellings_are_the_same_request() -> None:
    camel = {
        "systemInstruction": {"parts": [{"text": "be brief"}]},
        "contents": [user("go"), model({"functionCall": {"name": "read", "args": {}}}), user(a_result("x"))],
        "tools": [{"functionDeclarations": [{"name": "read"}]}],
    }
    snake = {
        "system_instruction": {"parts": [{"text": "be brief"}]},
        "contents": [
            user("go"),
            model({"function_call": {"name": "read", "args": {}}}),
            user({"function_response": {"name": "read", "response": {"output": "x"}}}),
        ],
        "tools": [{"function_declarations": [{"name": "read"}]}],
    }
    one, other = read_request(camel), read_request(snake)
    assert one.system == other.system
    assert one.tools == other.tools
    told = [[(b.kind, b.call_id, b.tool, b.text) for m in each.messages for b in m.blocks] for each in (one, other)]
    assert told[0] == told[1]
    assert other.metadata == {}


@pytest.mark.parametrize("instruction", ["be brief", {"parts": {"text": "be brief"}}, {"parts": ["be brief"]}])
def test_instructions_of_any_form(instruction: object) -> None:
    assert [block.text for block in read_request({"contents": [], "systemInstruction": instruction}).system] == [
        "be brief"
    ]


def test_pieces_of_a_stream_that_a_client_sends_back_are_one_message() -> None:
    pieces = [model({"text": "h", "thought": True}), model("I lo"), model("ok."), model(a_call(), {"text": ""})]
    request = read_request({"contents": [user("go"), *pieces, user(a_result("x"))]})
    assert [message.role for message in request.messages] == ["user", "assistant", "user"]
    thinking, said, asked = request.messages[1].blocks
    assert (thinking.kind, said.text, asked.kind) == (BlockKind.THINKING, "I look.", BlockKind.CALL)
    assert request.messages[1].raw == pieces


def test_texts_of_the_user_stay_apart() -> None:
    assert [b.text for b in read_request({"contents": [user("one", "two")]}).messages[0].blocks] == ["one", "two"]


def test_a_single_content_is_a_conversation() -> None:
    assert read_request({"contents": {"parts": [{"text": "go"}]}}).messages[0].role == "user"


def test_the_old_role_of_results_is_the_users() -> None:
    request = read_request({"contents": [model(a_call()), {"role": "function", "parts": [a_result("x")]}]})
    assert (request.messages[1].role, request.messages[1].blocks[0].kind) == ("user", BlockKind.RESULT)


def test_a_client_that_answers_with_ids_of_its_own_is_joined_by_tool_and_order() -> None:
    calls = model(a_call("read", path="a"), a_call("read", path="b"))
    results = user(a_result("x", "read", "read-1"), a_result("y", "read", "read-2"))
    request = read_request({"contents": [user("go"), calls, results]})
    asked, answered = ([block.call_id for block in message.blocks] for message in request.messages[1:])
    assert asked == answered
    assert len(set(asked)) == 2


def test_ids_of_the_provider_are_kept() -> None:
    contents = [model(a_call("read", "c2"), a_call("read", "c1")), user(a_result("x", "read", "c1"))]
    assert [b.call_id for m in read_request({"contents": contents}).messages for b in m.blocks] == ["c2", "c1", "c1"]


def test_names_do_not_change_when_a_signature_is_dropped() -> None:
    signed = model(a_call() | {"thoughtSignature": "c2ln"})
    request, without = (read_request({"contents": [user("go"), call]}) for call in (signed, model(a_call())))
    assert request.messages[1].blocks == without.messages[1].blocks


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        ([{"functionDeclarations": [{"name": "read"}, {"name": "list"}]}], [("read", "client"), ("list", "client")]),
        ([{"googleSearch": {}}, {"codeExecution": {}}], [("google_search", "server"), ("code_execution", "server")]),
        ([{"urlContext": {}, "functionDeclarations": [{"name": "a"}]}], [("a", "client"), ("url_context", "server")]),
        ([7], [("", "client")]),
        ([{"googleSearch": None}], []),
        (None, []),
    ],
)  # fmt: skip
def test_tools_by_name_and_by_who_runs_them(tools: object, expected: list[tuple[str, str]]) -> None:
    assert [(tool.name, tool.kind) for tool in read_request({"contents": [], "tools": tools}).tools] == expected


def test_what_the_provider_holds_is_named_in_the_metadata() -> None:
    body = {"contents": WORK, "cachedContent": "cachedContents/1", "generationConfig": {"temperature": 0}}
    assert read_request(body).metadata == {
        "cachedContent": "cachedContents/1",
        "generationConfig": {"temperature": 0},
    }


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "empty"),
        (b"{", "invalid JSON"),
        (b"[]", "not an object"),
        (b"{}", "contents is not a list"),
        (b'{"contents":"x"}', "contents is not a list"),
        (b'{"contents":[' + b"[" * 300 + b"]" * 300 + b"]}", "too deeply nested"),
        (b'{"contents":[],"x":' + b"[" * 300 + b"]" * 300 + b"}", "too deeply nested"),
        (b'{"contents":[],"tools":[' + b"[" * 300 + b"]" * 300 + b"]}", "too deeply nested"),
    ],
)
def test_what_cannot_be_read_says_why(body: bytes, reason: str) -> None:
    assert GEMINI.read_request(body, ()) == Unparsed(reason)


def test_the_rest_is_read_when_a_part_is_not() -> None:
    request = read_request({"contents": [7, {"role": "user"}, {"role": "user", "parts": {"text": "go"}}], "tools": {}})
    assert request.faults == (
        "content 1: not an object",
        "content 2: no parts",
        "content 3: no parts",
        "tools is not a list",
    )
    assert request.messages[2].blocks[0].text == "go"


def test_a_former_request_gives_what_is_the_same_again() -> None:
    tools = [{"functionDeclarations": [{"name": "read"}]}]
    former = read_request({"contents": WORK, "tools": tools})
    longer = {"contents": [*WORK, model("done"), user("and?")], "tools": tools}
    again = read_request(longer, former)
    assert again == read_request(longer)
    assert all(new is old for new, old in zip(again.messages, former.messages, strict=False))
    assert again.tools[0] is former.tools[0]


MEMBERS = (
    "role", "parts", "text", "thought", "functionCall", "functionResponse", "function_call", "name", "args", "id",
    "response", "output", "error", "inlineData", "executableCode", "codeExecutionResult", "toolCall", "partialArgs",
)  # fmt: skip
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 9), st.text(max_size=3), st.sampled_from(["model", "user"])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=5)),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=4), JSON)
@settings(max_examples=150, deadline=None)
def test_nothing_raises_on_any_shape(contents: list[Any], other: Any) -> None:
    body = orjson.dumps({"contents": contents, "tools": other, "systemInstruction": other})
    request = GEMINI.read_request(body, ())
    assert isinstance(request, Request)
    assert GEMINI.read_request(body, (), request) == request


@given(st.binary(max_size=60))
@settings(max_examples=60, deadline=None)
def test_nothing_raises_on_any_bytes(body: bytes) -> None:
    assert isinstance(GEMINI.read_request(body, ()), Request | Unparsed)
