from __future__ import annotations

from proxy.scripted.cache import InputUsage
from proxy.scripted.reply import Sampling, error, message, sample, usage_of


def test_compactions_stand_in_iterations_and_not_at_the_top() -> None:
    """The documented example of wire-formats 1.5."""
    compaction = Sampling("compaction", "m", InputUsage(180_000, 0, 0, 0), 3_500, 0)
    own = Sampling("message", "m", InputUsage(23_000, 100_000, 1_000, 2_000), 1_000, 200)
    usage = usage_of([compaction, own], with_iterations=False)
    assert usage["input_tokens"] == 23_000
    assert usage["cache_read_input_tokens"] == 100_000
    assert usage["cache_creation_input_tokens"] == 3_000
    assert usage["cache_creation"] == {"ephemeral_5m_input_tokens": 1_000, "ephemeral_1h_input_tokens": 2_000}
    assert usage["output_tokens_details"] == {"thinking_tokens": 200}
    assert [(i["type"], i["input_tokens"], i["output_tokens"]) for i in usage["iterations"]] == [
        ("compaction", 180_000, 3_500),
        ("message", 23_000, 1_000),
    ]
    assert "model" not in usage["iterations"][0]


def test_iterations_of_a_plain_turn_come_only_when_asked_for() -> None:
    own = Sampling("message", "m", InputUsage(1, 0, 0, 0), 1, 0)
    assert "iterations" not in usage_of([own], with_iterations=False)
    assert len(usage_of([own], with_iterations=True)["iterations"]) == 1


def test_a_compaction_alone_leaves_the_top_at_zero() -> None:
    usage = usage_of([Sampling("compaction", "m", InputUsage(9, 0, 0, 0), 5, 0)], with_iterations=False)
    assert (usage["input_tokens"], usage["output_tokens"], len(usage["iterations"])) == (0, 0, 1)


def test_thinking_is_part_of_the_output() -> None:
    blocks = [{"type": "thinking", "thinking": "x" * 1000}, {"type": "text", "text": "y" * 1000}]
    sampling = sample("message", "m", InputUsage(0, 0, 0, 0), blocks, 256)
    assert 250 <= sampling.thinking < sampling.output
    assert sample("message", "m", InputUsage(0, 0, 0, 0), [], 256).output == 1


def test_a_message_without_usage_or_edits_does_not_name_them() -> None:
    bare = message(message_id="msg_1", model="m", blocks=[], stop_reason="end_turn", usage=None, edits=[])
    assert {"usage", "context_management"}.isdisjoint(bare)


def test_an_error_names_its_request() -> None:
    assert error("overloaded_error", "text", "req_1")["request_id"] == "req_1"
