from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.model.messages import Block, BlockKind, Message
from proxy.sessions.normalise import reply_units, units
from proxy.wire.openai_responses.items import blocks_of, parts_of, role_of
from tests.support.responses import a_call, a_result, read_document, read_request, said
from tests.support.responses import a_response as answering

KIND = BlockKind


def item(kind: str, **fields: object) -> dict[str, Any]:
    return {"type": kind, "id": f"{kind}_1", "status": "completed"} | fields


ITEMS: dict[str, tuple[dict[str, Any], str, BlockKind]] = {
    "text": ({"role": "user", "content": "hi"}, "user", KIND.TEXT),
    "developer": ({"type": "message", "role": "developer", "content": "be brief"}, "developer", KIND.TEXT),
    "system": ({"role": "system", "content": [{"type": "input_text", "text": "x"}]}, "system", KIND.TEXT),
    "answer": (said("hello"), "assistant", KIND.TEXT),
    "image": ({"role": "user", "content": [{"type": "input_image", "image_url": "data:"}]}, "user", KIND.MEDIA),
    "file": ({"role": "user", "content": [{"type": "input_file", "file_id": "f"}]}, "user", KIND.MEDIA),
    "part": ({"role": "user", "content": [{"type": "of the future"}]}, "user", KIND.OTHER),
    "function_call": (a_call(), "assistant", KIND.CALL),
    "function_call_output": (a_result(), "tool", KIND.RESULT),
    "custom_tool_call": (item("custom_tool_call", call_id="c", name="n", input="x"), "assistant", KIND.CALL),
    "custom_tool_call_output": (item("custom_tool_call_output", call_id="c", output="o"), "tool", KIND.RESULT),
    "local_shell_call": (item("local_shell_call", call_id="c", action={"command": ["ls"]}), "assistant", KIND.CALL),
    "local_shell_call_output": (item("local_shell_call_output", output="o"), "tool", KIND.RESULT),
    "shell_call": (item("shell_call", call_id="c", action={"commands": ["ls"]}), "assistant", KIND.CALL),
    "shell_call_output": (item("shell_call_output", call_id="c", output=[]), "tool", KIND.RESULT),
    "apply_patch_call": (item("apply_patch_call", call_id="c", operation={"path": "a"}), "assistant", KIND.CALL),
    "apply_patch_call_output": (item("apply_patch_call_output", call_id="c"), "tool", KIND.RESULT),
    "computer_call": (item("computer_call", call_id="c", action={"type": "wait"}), "assistant", KIND.CALL),
    "computer_call_output": (item("computer_call_output", call_id="c", output={}), "tool", KIND.RESULT),
    "tool_search_call": (item("tool_search_call", execution="client", arguments={}), "assistant", KIND.CALL),
    "tool_search_output": (item("tool_search_output", execution="client", tools=[]), "tool", KIND.RESULT),
    "hosted search": (item("tool_search_call", execution="server", arguments={}), "assistant", KIND.SERVER_CALL),
    "hosted found": (item("tool_search_output", execution="server", tools=[]), "tool", KIND.SERVER_RESULT),
    "hosted shell": (
        item("shell_call", call_id="c", action={}, environment={"type": "container_reference", "container_id": "k"}),
        "assistant",
        KIND.SERVER_CALL,
    ),
    "reasoning": (item("reasoning", summary=[], encrypted_content="x"), "assistant", KIND.THINKING),
    "compaction": (item("compaction", encrypted_content="x"), "assistant", KIND.COMPACTION),
    "compaction_trigger": (item("compaction_trigger"), "user", KIND.OTHER),
    "item_reference": (item("item_reference"), "assistant", KIND.OTHER),
    "reference without type": ({"id": "msg_7"}, "assistant", KIND.OTHER),
    "web_search_call": (item("web_search_call", action={"query": "q"}), "assistant", KIND.SERVER_CALL),
    "file_search_call": (item("file_search_call", queries=["q"]), "assistant", KIND.SERVER_CALL),
    "code_interpreter_call": (item("code_interpreter_call", code="1"), "assistant", KIND.SERVER_CALL),
    "image_generation_call": (item("image_generation_call", result="x"), "assistant", KIND.SERVER_CALL),
    "mcp_call": (item("mcp_call", name="n", server_label="s", arguments="{}"), "assistant", KIND.SERVER_CALL),
    "mcp_list_tools": (item("mcp_list_tools", server_label="s", tools=[]), "assistant", KIND.SERVER_RESULT),
    "mcp_approval_request": (item("mcp_approval_request", name="n"), "assistant", KIND.OTHER),
    "mcp_approval_response": (item("mcp_approval_response", approve=True), "user", KIND.OTHER),
    "program": (item("program", call_id="p", code="1"), "assistant", KIND.SERVER_CALL),
    "program_output": (item("program_output", call_id="p", result="2"), "assistant", KIND.SERVER_RESULT),
    "additional_tools": (item("additional_tools", role="developer", tools=[]), "developer", KIND.OTHER),
    "configuration_update": (item("configuration_update", reasoning={}), "assistant", KIND.OTHER),
    "of the future": (item("of_the_future", x=1), "assistant", KIND.OTHER),
}


@pytest.mark.parametrize("name", list(ITEMS))
def test_every_item_type_has_a_kind_and_a_role(name: str) -> None:
    raw, role, kind = ITEMS[name]
    (message,) = read_request(raw).messages
    assert (message.role, [block.kind for block in message.blocks]) == (role, [kind])
    assert message.raw == raw


@pytest.mark.parametrize("name", list(ITEMS))
def test_ids_states_and_nulls_do_not_enter_what_an_item_means(name: str) -> None:
    raw, _, kind = ITEMS[name]
    if raw.get("type", "item_reference") == "item_reference" or name == "local_shell_call_output":
        return  # their ids are all they say
    other = raw | {"id": "client-made", "status": None, "internal_chat_message_metadata_passthrough": {"turn_id": "t"}}
    assert [unit.digest for unit in units(read_request(raw).messages)] == [
        unit.digest for unit in units(read_request(other).messages)
    ], kind


@pytest.mark.parametrize("name", [name for name, (_, role, _) in ITEMS.items() if role == "assistant"])
def test_an_answered_item_and_the_same_sent_back_are_one(name: str) -> None:
    raw = ITEMS[name][0]
    answered = reply_units(read_document(answering(raw)).blocks)
    assert [unit.digest for unit in answered] == [unit.digest for unit in units(read_request(raw).messages)]


def test_a_reference_keeps_the_id_that_it_is() -> None:
    first, second = (read_request({"id": name}).messages[0].blocks[0] for name in ("a", "b"))
    assert first.raw != second.raw


def call_in(raw: dict[str, Any]) -> tuple[str, str, object, str]:
    (block,) = blocks_of(raw)
    return block.tool, block.call_id, block.arguments, block.raw_arguments


@pytest.mark.parametrize(
    ("raw", "call"),
    [
        (a_call("read", "c1", path="/a"), ("read", "c1", {"path": "/a"}, "")),
        (a_call() | {"arguments": ""}, ("read", "call_1", {}, "")),
        (a_call() | {"arguments": '{"path": "/'}, ("read", "call_1", None, '{"path": "/')),
        (a_call() | {"arguments": "[1]"}, ("read", "call_1", None, "[1]")),
        (a_call() | {"arguments": {"x": None}}, ("read", "call_1", {"x": None}, "")),
        (a_call() | {"arguments": None}, ("read", "call_1", None, "")),
        (a_call() | {"namespace": "mcp__files"}, ("mcp__files.read", "call_1", {}, "")),
        (item("custom_tool_call", call_id="c", name="apply_patch", input="{}"), ("apply_patch", "c", None, "{}")),
        (
            item("local_shell_call", call_id="c", action={"type": "exec", "command": ["ls"], "user": None}),
            ("local_shell", "c", {"type": "exec", "command": ["ls"]}, ""),
        ),
        (item("shell_call", call_id="c", action={"commands": ["ls"]}), ("shell", "c", {"commands": ["ls"]}, "")),
        (
            item("apply_patch_call", call_id="c", operation={"type": "delete_file", "path": "/a"}),
            ("apply_patch", "c", {"type": "delete_file", "path": "/a"}, ""),
        ),
        (item("computer_call", call_id="c", action={"type": "wait"}), ("computer", "c", {"type": "wait"}, "")),
        (
            item("computer_call", call_id="c", actions=[{"type": "wait"}]),
            ("computer", "c", None, '[{"type":"wait"}]'),
        ),
        (item("tool_search_call", arguments={"q": None}), ("tool_search", "", {"q": None}, "")),
        (item("web_search_call", action={"query": "q"}), ("web_search", "", {"query": "q"}, "")),
        (item("mcp_call", name="n", server_label="s", arguments='{"a":1}'), ("s.n", "", {"a": 1}, "")),
    ],
)  # fmt: skip
def test_a_call_has_its_tool_and_arguments(raw: dict[str, Any], call: object) -> None:
    assert call_in(raw) == call


TIMEOUT = {"stdout": "a", "stderr": "", "outcome": {"type": "timeout"}}
EXIT_1 = {"stdout": "a", "stderr": "e", "outcome": {"type": "exit", "exit_code": 1}}
EXIT_0 = {"stdout": "b", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}


@pytest.mark.parametrize(
    ("raw", "text", "is_error"),
    [
        (a_result("plain"), "plain", False),
        (a_result([{"type": "input_text", "text": "a"}, {"type": "input_image"}, {"text": "b"}]), "a\nb", False),
        (a_result({"content": "no such file", "success": False}), "no such file", True),
        (a_result(None), "", False),
        (a_result([3, None, {"text": 3}, {"outcome": []}]), "", False),
        (item("shell_call_output", call_id="c", output=[EXIT_0]), "b", False),
        (item("shell_call_output", call_id="c", output=[EXIT_0, EXIT_1]), "b\na\ne", True),
        (item("shell_call_output", call_id="c", output=[TIMEOUT]), "a", True),
        (item("apply_patch_call_output", call_id="c", output="no"), "no", False),
        (item("apply_patch_call_output", call_id="c", output="no") | {"status": "failed"}, "no", True),
        (item("computer_call_output", call_id="c", output={"type": "computer_screenshot"}), "", False),
    ],
)  # fmt: skip
def test_a_result_has_its_text_and_says_whether_it_failed(raw: dict[str, Any], text: str, is_error: bool) -> None:
    (block,) = blocks_of(raw)
    assert (block.kind, block.text, block.is_error) == (KIND.RESULT, text, is_error)


def test_a_local_shell_output_is_joined_by_its_id() -> None:
    assert blocks_of({"type": "local_shell_call_output", "id": "call_9", "output": "x"})[0].call_id == "call_9"
    assert blocks_of(a_result(call="") | {"id": "fco_1"})[0].call_id == ""


def test_a_compaction_is_opaque_and_leaves_the_users_texts() -> None:
    (block,) = blocks_of({"type": "compaction", "id": "cmp_1", "encrypted_content": "sealed", "created_by": None})
    sealed = {"type": "compaction", "encrypted_content": "sealed"}
    assert block == Block(kind=KIND.COMPACTION, raw=sealed, opaque=True, keeps_texts=True)


def test_a_compaction_without_content_is_a_failed_one() -> None:
    (block,) = blocks_of({"type": "compaction", "encrypted_content": ""})
    assert (block.opaque, block.text) == (False, "")


def test_a_refusal_is_what_the_model_said() -> None:
    (block,) = parts_of([{"type": "refusal", "refusal": "I can't"}])
    assert (block.kind, block.text) == (KIND.TEXT, "I can't")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "id", "role", "content", "arguments", "output", "action", "text", "outcome"]),
            inner,
        )
    ),
    max_leaves=8,
)
FIELDS = ["role", "content", "arguments", "output", "action", "input", "operation", "call_id", "name", "environment"]


@given(
    st.sampled_from([raw.get("type", "") for raw, _, _ in ITEMS.values()]),
    st.dictionaries(st.sampled_from(FIELDS), JSON),
)
def test_no_item_raises_and_each_can_be_matched(kind: str, fields: dict[str, Any]) -> None:
    raw = {"type": kind} | fields
    blocks = blocks_of(raw)
    assert len(units((Message(role=role_of(raw), blocks=blocks),))) <= len(blocks)
