from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proxy.scripted.faces.responses.events import events

OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "so"}], "encrypted_content": "e"},
    {"type": "message", "id": "msg", "role": "assistant", "status": "completed",
     "content": [{"type": "output_text", "text": "héllo 😀", "annotations": []}]},
    {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"a":1}', "status": "completed"},
    {"type": "custom_tool_call", "id": "ctc", "call_id": "d", "name": "g", "input": "free", "status": "completed"},
    {"type": "compaction", "id": "cmp", "encrypted_content": "sealed"},
    {"type": "web_search_call", "id": "ws", "status": "completed"},
]  # fmt: skip
RESPONSE = {"id": "resp_1", "status": "completed", "output": OUTPUT, "usage": {"input_tokens": 1}}
DELTAS = {
    "response.output_text.delta": "msg",
    "response.function_call_arguments.delta": "fc",
    "response.custom_tool_call_input.delta": "ctc",
    "response.reasoning_summary_text.delta": "rs",
}


@given(st.integers(1, 20))
def test_events_build_the_response_up_whatever_the_delta_size(size: int) -> None:
    told = list(events(RESPONSE, size))
    assert [event["sequence_number"] for event in told] == list(range(len(told)))
    assert [event["item"] for event in told if event["type"] == "response.output_item.done"] == OUTPUT
    texts = dict.fromkeys(DELTAS.values(), "")
    for event in told:
        if event["type"] in DELTAS:
            assert event["item_id"] == DELTAS[event["type"]]
            texts[event["item_id"]] += event["delta"]
    assert texts == {"msg": "héllo 😀", "fc": '{"a":1}', "ctc": "free", "rs": "so"}


def test_usage_comes_with_the_end_and_compaction_says_that_it_is_at_work() -> None:
    told = list(events(RESPONSE, 100))
    assert told[0]["response"]["usage"] is None
    assert (told[-1]["type"], told[-1]["response"]) == ("response.completed", RESPONSE)
    compacting = next(event for event in told if event["type"] == "response.compaction.compacting")
    assert (compacting["item_id"], compacting["output_index"]) == ("cmp", 4)
