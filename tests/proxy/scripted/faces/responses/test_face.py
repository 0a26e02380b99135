from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say, Tool
from proxy.scripted.faces.responses.face import Compact, Responses, Socket
from proxy.scripted.provider import Provider
from proxy.scripted.script import Need, Script, Step
from proxy.scripted.sending.answer import Answer
from proxy.scripted.settings import ProviderSettings
from tests.support.scripted_talks import ChainedTalk, ResponsesTalk

READS = Script(
    name="reads",
    steps=(
        Step(do=(Read("big.txt"),)),
        Step(do=(Read("small.txt"),)),
        Step(do=(Read("other.txt"),), needs=(Need(path="big.txt", shows="line 500\n"),)),
        Step(do=(Say("Done."),)),
    ),
)
PATCH = Script(name="patch", steps=(Step(do=(Tool("apply_patch", {"input": "*** Begin Patch"}),)),))
FAULTY = Script(name="faulty", steps=(Step(do=(Say("x"),), fault=Fault(kind=FaultKind.STREAM_ERROR)),))
PROMPT = {"role": "user", "content": "[script reads]"}
READ_FILE = {"type": "function", "name": "read_file", "parameters": {}}


def provider() -> Provider:
    return Provider(ProviderSettings(scripts=(READS, PATCH, FAULTY), deterministic=True))


def run(_name: str, arguments: Mapping[str, Any]) -> str:
    return "".join(f"line {n}\n" for n in range(900 if arguments["path"] == "big.txt" else 2))


def post(server: Provider, face: Responses | None = None, /, **fields: Any) -> Any:
    answer = asked(server, face, **fields)
    assert answer.status == 200, answer.pieces
    return json.loads(answer.pieces[0])


def asked(server: Provider, face: Responses | None = None, /, **fields: Any) -> Answer:
    body = json.dumps({"model": "m", "tools": [READ_FILE], **fields}).encode()
    return server.answer({"authorization": "Bearer k"}, body, face or Responses(server.memory))


def error_in(answer: Answer) -> tuple[int, str]:
    return answer.status, json.loads(answer.pieces[0])["error"]["code"]


def paths(server: Provider) -> list[str]:
    return [call["input"]["path"] for served in server.ledger() for call in served.calls]


@pytest.mark.parametrize("kind", [ResponsesTalk, ChainedTalk])
def test_compaction_at_a_threshold_forces_a_re_read(kind: type[ResponsesTalk]) -> None:
    server = provider()
    talk = kind(server, run, fields={"context_management": [{"type": "compaction", "compact_threshold": 1500}]})
    assert talk.ask("[script reads]") == "Done."
    kinds = [[sampling.kind for sampling in served.samplings] for served in server.ledger()]
    assert ["compaction", "message"] in kinds
    assert paths(server).count("big.txt") > 1
    compacted = next(at for at, each in enumerate(kinds) if len(each) == 2)
    told = talk.bills[compacted]
    assert sum(told[:3]) == sum(sum(each.input) for each in server.ledger()[compacted].samplings)


def test_after_a_compaction_item_only_the_users_words_are_visible() -> None:
    server = provider()
    first = post(server, input=[PROMPT])
    (call,) = [item for item in first["output"] if item["type"] == "function_call"]
    result = {"type": "function_call_output", "call_id": call["call_id"], "output": run("", {"path": "big.txt"})}
    history = [PROMPT, *first["output"], result]
    (item,) = post(server, input=[*history, {"type": "compaction_trigger"}])["output"]
    assert item["type"] == "compaction"
    assert "script" not in item["encrypted_content"]
    after = post(server, input=[PROMPT, item])
    assert "small.txt" in after["output"][0]["arguments"]
    pruned, whole = post(server, input=[PROMPT, item])["usage"], post(server, input=[*history, item])["usage"]
    assert pruned["input_tokens"] == whole["input_tokens"]
    assert [served.purpose for served in server.ledger()] == ["turn", "compaction", "turn", "turn", "turn"]


def test_the_compaction_endpoint_gives_what_the_user_wrote_and_the_summary() -> None:
    server = provider()
    document = post(server, Compact(server.memory), input=[PROMPT, {"role": "assistant", "content": "Hm."}])
    assert document["object"] == "response.compaction"
    assert [item["type"] for item in document["output"]] == ["message", "compaction"]
    assert document["output"][0]["content"] == [{"type": "input_text", "text": "[script reads]"}]
    assert document["usage"]["output_tokens"] == server.ledger()[0].samplings[0].output


def test_a_summary_that_another_provider_sealed_is_refused() -> None:
    answer = asked(provider(), input=[{"type": "compaction", "encrypted_content": "gAAAA"}])
    assert error_in(answer) == (400, "invalid_encrypted_content")


def test_a_chain_sees_its_whole_history_but_not_former_instructions() -> None:
    server = provider()
    talk = ChainedTalk(server, run)
    assert talk.ask("[script reads]") == "Done."
    assert paths(server) == ["big.txt", "small.txt", "other.txt"]
    spoken = post(server, input="hello", instructions="x" * 4000)
    chained = post(server, input="on", previous_response_id=spoken["id"])
    assert chained["usage"]["input_tokens"] < spoken["usage"]["input_tokens"]


def test_an_unknown_parent_is_refused_and_so_is_one_that_was_not_stored() -> None:
    server = provider()
    unstored = post(server, input="hello", store=False)
    for parent in ("resp_unknown", unstored["id"]):
        answer = asked(server, input="on", previous_response_id=parent)
        assert error_in(answer) == (400, "previous_response_not_found")


def test_a_conversation_is_continued_by_its_id() -> None:
    server = provider()
    server.memory.open_conversation("conv_1")
    first = post(server, input=[PROMPT], conversation="conv_1")
    (call,) = first["output"]
    answered = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}
    second = post(server, input=[answered], conversation={"id": "conv_1"})
    assert "small.txt" in second["output"][0]["arguments"]
    assert second["conversation"] == {"id": "conv_1"}
    assert server.ledger()[1].session == "conv_1"
    assert asked(server, input="x", conversation="conv_2").status == 404
    assert asked(server, input="x", conversation="conv_1", previous_response_id=first["id"]).status == 400


def test_a_prewarm_is_answered_with_nothing_and_can_be_continued() -> None:
    server = provider()
    warmed = post(server, input=[PROMPT], generate=False)
    assert (warmed["output"], warmed["usage"]["output_tokens"]) == ([], 0)
    follow = post(server, input=[], previous_response_id=warmed["id"])
    assert "big.txt" in follow["output"][0]["arguments"]
    assert [served.purpose for served in server.ledger()] == ["prewarm", "turn"]


def test_items_can_be_referred_to_by_their_ids() -> None:
    server = provider()
    first = post(server, input=[PROMPT])
    (call,) = first["output"]
    answered = {"type": "function_call_output", "call_id": call["call_id"], "output": "x"}
    second = post(server, input=[PROMPT, {"type": "item_reference", "id": call["id"]}, answered])
    assert "small.txt" in second["output"][0]["arguments"]
    assert asked(server, input=[{"type": "item_reference", "id": "fc_0"}]).status == 404


def test_a_free_text_tool_is_called_with_its_text_and_read_back() -> None:
    server = provider()
    tools = [{"type": "custom", "name": "apply_patch"}]
    prompt = {"role": "user", "content": "[script patch]"}
    (item,) = post(server, input=[prompt], tools=tools)["output"]
    assert (item["type"], item["input"]) == ("custom_tool_call", "*** Begin Patch")
    answered = {"type": "custom_tool_call_output", "call_id": item["call_id"], "output": [{"type": "input_text"}]}
    after = post(server, input=[prompt, item, answered], tools=tools)
    assert after["output"][0]["content"][0]["text"] == "There is nothing left to do."


@pytest.mark.parametrize(
    "fields",
    [
        {"model": None},
        {"input": [{"type": "function_call", "name": "f"}]},
        {"input": [{"type": "function_call", "name": "f", "call_id": "c", "arguments": "{}"}]},
        {"input": [{"type": "function_call_output", "call_id": "c", "output": "x"}]},
    ],
)
def test_what_makes_no_sense_is_a_400(fields: dict[str, Any]) -> None:
    assert asked(provider(), **fields).status == 400


def test_a_stream_that_breaks_ends_with_a_flat_error_and_on_a_socket_with_a_nested_one() -> None:
    server = provider()
    answer = asked(server, input="[script faulty]", stream=True)
    last = json.loads(answer.pieces[-1].split(b"data: ")[1])
    assert (last["type"], last["code"]) == ("error", "server_is_overloaded")
    socket = Socket(provider().memory, lane="a")
    frame = json.loads(asked(provider(), socket, type="response.create", input="[script faulty]").pieces[-1])
    assert (frame["error"]["code"], frame["stream_id"]) == ("server_is_overloaded", "a")


def test_counting_agrees_with_the_bill() -> None:
    server = provider()
    body = json.dumps({"model": "m", "input": "hi"}).encode()
    counted = json.loads(server.count_tokens({}, body, Responses(server.memory)).pieces[0])
    server.answer({}, body, Responses(server.memory))
    tokens = sum(server.ledger()[0].samplings[0].input)
    assert counted == {"object": "response.input_tokens", "input_tokens": tokens}
