"""The message object and its usage (wire-formats 1.4, 1.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from proxy.scripted.cache import InputUsage, encode, tokens_of

Json = Mapping[str, Any]


class Sampling(NamedTuple):
    """One billed sampling."""

    kind: str
    """`message` or `compaction`."""
    model: str
    input: InputUsage
    output: int
    thinking: int


def sample(kind: str, model: str, prompt: InputUsage, blocks: Sequence[Json], tokens_per_kib: int) -> Sampling:
    """The bill of writing these blocks after that prompt; an answer costs one token at least."""
    sizes = [(block.get("type"), tokens_of(encode(block), tokens_per_kib)) for block in blocks]
    thinking = sum(size for kind_of, size in sizes if kind_of == "thinking")
    return Sampling(kind, model, prompt, max(1, sum(size for _, size in sizes)), thinking)


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


def message(
    *, message_id: str, model: str, blocks: Sequence[Json], stop_reason: str, usage: Json | None, edits: Sequence[Json]
) -> dict[str, Any]:
    """A whole answer; without `usage` the provider forgot to bill."""
    whole: dict[str, Any] = {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": list(blocks),
        "stop_reason": stop_reason,
        "stop_sequence": None,
    }
    if usage is not None:
        whole["usage"] = dict(usage)
    if edits:
        whole["context_management"] = {"applied_edits": list(edits)}
    return whole


def error(kind: str, text: str, request_id: str) -> dict[str, Any]:
    """An error body (wire-formats 1.7)."""
    return {"type": "error", "error": {"type": kind, "message": text}, "request_id": request_id}


STATUS_OF_ERROR: Mapping[int, str] = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
"""Error type of each status."""
