"""The bill in the convention of Anthropic Messages (wire-formats 1.5): the prompt without what was cached."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from proxy.scripted.reply import Sampling


def usage_of(samplings: Sequence[Sampling], *, with_iterations: bool) -> dict[str, Any]:
    """The top level holds every sampling but compactions, which stand in `iterations` alone."""
    own = [sampling for sampling in samplings if sampling.kind != "compaction"]
    usage: dict[str, Any] = {
        **_counts(own),
        "output_tokens_details": {"thinking_tokens": sum(sampling.thinking for sampling in own)},
        "service_tier": "standard",
    }
    if with_iterations or len(own) != len(samplings):
        usage["iterations"] = [_iteration(sampling) for sampling in samplings]
    return usage


def _iteration(sampling: Sampling) -> dict[str, Any]:
    model = {} if sampling.kind == "compaction" else {"model": sampling.model}
    return {"type": sampling.kind, **model, **_counts([sampling])}


def _counts(samplings: Sequence[Sampling]) -> dict[str, Any]:
    written_5m = sum(sampling.input.written_5m for sampling in samplings)
    written_1h = sum(sampling.input.written_1h for sampling in samplings)
    return {
        "input_tokens": sum(sampling.input.uncached for sampling in samplings),
        "cache_creation_input_tokens": written_5m + written_1h,
        "cache_read_input_tokens": sum(sampling.input.read for sampling in samplings),
        "cache_creation": {"ephemeral_5m_input_tokens": written_5m, "ephemeral_1h_input_tokens": written_1h},
        "output_tokens": sum(sampling.output for sampling in samplings),
    }
