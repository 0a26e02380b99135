from __future__ import annotations

from proxy.scripted.cache import InputUsage
from proxy.scripted.reply import Sampling, Totals, prewarm, sample, totals


def test_thinking_is_part_of_the_output() -> None:
    blocks = [{"type": "thinking", "thinking": "x" * 1000}, {"type": "text", "text": "y" * 1000}]
    sampling = sample("message", "m", InputUsage(0, 0, 0, 0), blocks, 256)
    assert 250 <= sampling.thinking < sampling.output
    assert sample("message", "m", InputUsage(0, 0, 0, 0), [], 256).output == 1


def test_the_sums_include_what_was_cached_and_what_was_compacted() -> None:
    compaction = Sampling("compaction", "m", InputUsage(100, 0, 0, 0), 30, 0)
    own = Sampling("message", "m", InputUsage(20, 5, 3, 2), 10, 4)
    assert totals([compaction, own]) == Totals(prompt=130, read=5, written_5m=3, written_1h=2, output=40, thinking=4)


def test_a_prewarm_costs_its_prompt_and_no_output() -> None:
    assert prewarm("m", InputUsage(1, 2, 3, 4)) == Sampling("message", "m", InputUsage(1, 2, 3, 4), 0, 0)
