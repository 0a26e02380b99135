from __future__ import annotations

from typing import Any

from proxy.scripted.cache import InputUsage
from proxy.scripted.faces.face import Asked
from proxy.scripted.faces.responses.writing import output_of, response_of, usage_of
from proxy.scripted.faces.seals import Seals
from proxy.scripted.reply import Reply, Sampling

OWN = Sampling("message", "m", InputUsage(500, 400, 60, 40), 50, 20)


def reply(*blocks: dict[str, Any], tells_usage: bool = True) -> Reply:
    return Reply(
        id="resp_1", created_us=5_000_000, model="m", blocks=blocks, stop_reason="end_turn", samplings=(OWN,),
        tells_usage=tells_usage,
    )  # fmt: skip


def asked(**raw: Any) -> Asked:
    return Asked(body={}, raw=raw, stream=False)


def test_the_bill_includes_what_was_cached() -> None:
    """The documented example of wire-formats 2.4."""
    assert usage_of([OWN]) == {
        "input_tokens": 1000,
        "input_tokens_details": {
            "cached_tokens": 400,
            "cache_write_tokens": 100,
            "cache_write_tokens_details": {"ttl_30m_tokens": 60, "ttl_12h_tokens": 40},
        },
        "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 20},
        "total_tokens": 1050,
    }


def test_a_compaction_on_the_way_is_in_the_sums() -> None:
    compaction = Sampling("compaction", "m", InputUsage(1000, 0, 0, 0), 10, 0)
    assert usage_of([compaction, OWN])["input_tokens"] == 2000


def test_reasoning_is_sealed_only_for_those_who_ask() -> None:
    thinking = {"type": "thinking", "thinking": "so", "signature": "s"}
    seals = Seals("")
    (plain,) = output_of(asked(), reply(thinking), seals)
    (sealed,) = output_of(asked(include=["reasoning.encrypted_content"]), reply(thinking), seals)
    assert "encrypted_content" not in plain
    assert seals.open(sealed["encrypted_content"]) == "so"


def test_a_response_says_what_it_was_asked_and_may_forget_the_bill() -> None:
    response = response_of(asked(instructions="i", store=False, conversation="c"), reply(tells_usage=False), [])
    assert (response["instructions"], response["store"], response["usage"]) == ("i", False, None)
    assert response["conversation"] == {"id": "c"}
    assert response["created_at"] == 5


def test_a_call_names_the_namespace_of_its_tool() -> None:
    space = {"type": "namespace", "name": "functions", "tools": [{"type": "custom", "name": "exec"}]}
    call = {"type": "tool_use", "id": "c", "name": "exec", "input": {"input": "text(1);"}}
    (item,) = output_of(asked(tools=[space]), reply(call), Seals(""))
    assert (item["type"], item["namespace"], item["input"]) == ("custom_tool_call", "functions", "text(1);")
