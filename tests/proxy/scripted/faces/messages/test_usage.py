from __future__ import annotations

from proxy.scripted.cache import InputUsage
from proxy.scripted.faces.messages.usage import usage_of
from proxy.scripted.reply import Sampling


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
