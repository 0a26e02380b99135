"""The usage of a response to the sampling that it bills, with one identity (wire-formats 2.4, design §6).

Rules of this file:
- `input_tokens` is the whole prompt: what was read from and written to the cache is inside and is taken off.
- A write without a stated lifetime has that of the response's `prompt_cache_options`, else the API's default of 30
  minutes.
- When the parts are more than the whole, the whole counts, and the disagreement is said.
- A number that is no count makes the whole object unreadable: no sampling, never a zero in its place.
- What is billed beside tokens and is not counted in the response makes the sampling unpriceable, never cheaper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proxy.model.messages import Block, BlockKind
from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.json_values import Json, object_of, word_of
from proxy.wire.token_counts import Billed, NotACountError, count_in, is_count

_LIFETIMES = {"ttl_30m_tokens": "cache_write_30m", "ttl_12h_tokens": "cache_write_12h"}
_BY_NAME = {"30m": "cache_write_30m", "12h": "cache_write_12h"}
_USUAL = "cache_write_30m"
_STANDARD_TIERS = frozenset({"auto", "default", "standard"})
_SEARCHES = "web_search"
_BESIDE_TOKENS = frozenset({"file_search", "image_generation"})
"""Tools of the provider that are billed by call, or by tokens of another model, which no class counts."""
_KEPT = ("service_tier", "tool_usage", "prompt_cache_options", "prompt_cache_diagnostics")
"""Fields beside `usage` that a price depends on, or that say why the cache missed."""


def billed(response: Mapping[str, Any], blocks: Sequence[Block], kind: IterationKind, model: str) -> Billed:
    """The one sampling that a response bills; none when its usage is missing or cannot be read.

    Args:
        response: The response object, as far as it came.
        blocks: Its output.
        kind: What it was for.
        model: As answered.
    """
    raw = response.get("usage")
    if not isinstance(raw, Mapping):
        return Billed((), "" if raw is None else "usage is not an object")
    notes: list[str] = []
    try:
        usage = _usage(raw, _usual_lifetime(response), notes)
    except NotACountError as error:
        return Billed((), f"{error} is not a count")
    searches, unpriceable = _beside_tokens(response.get("tool_usage"), blocks)
    iteration = Iteration(
        kind=kind,
        model=model,
        usage=usage,
        server_tool_calls=searches,
        terms=_terms(response.get("service_tier")),
        unpriceable=unpriceable,
    )
    return Billed((iteration,), "; ".join(notes))


def kept(response: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is kept for pricing the response again: its usage, and what stands beside it; None without usage."""
    raw = response.get("usage")
    if not isinstance(raw, Mapping):
        return None
    return {**raw, **{field: response[field] for field in _KEPT if response.get(field) is not None}}


def _usage(raw: Mapping[str, Any], usual: str, notes: list[str]) -> Usage:
    prompt, output = count_in(raw, "input_tokens", required=True), count_in(raw, "output_tokens", required=True)
    total = count_in(raw, "total_tokens")
    if raw.get("total_tokens") is not None and total != prompt + output:
        notes.append(f"total_tokens says {total}, input and output add up to {prompt + output}")
    details = object_of(raw.get("input_tokens_details"))
    cached = {"cache_read": count_in(details, "cached_tokens"), **_writes(details, usual, notes)}
    reasoning = count_in(object_of(raw.get("output_tokens_details")), "reasoning_tokens")
    if reasoning > output:
        notes.append(f"{reasoning} reasoning tokens in an output of {output}")
    return Usage(**_within(prompt, cached, notes), output=output, reasoning=min(reasoning, output))


def _usual_lifetime(response: Mapping[str, Any]) -> str:
    stated = object_of(response.get("prompt_cache_options")).get("ttl")
    return _BY_NAME.get(stated, _USUAL) if isinstance(stated, str) else _USUAL


def _writes(details: Mapping[str, Any], usual: str, notes: list[str]) -> dict[str, int]:
    """Tokens written by lifetime; the total counts, and what the split leaves out has the usual one."""
    total = count_in(details, "cache_write_tokens")
    split = details.get("cache_write_tokens_details")
    if not isinstance(split, Mapping):
        return {usual: total}
    writes = {ours: count_in(split, theirs) for theirs, ours in _LIFETIMES.items()}
    stated = sum(writes.values())
    if details.get("cache_write_tokens") is None or stated == total:
        return writes
    notes.append(f"cache_write_tokens_details says {stated} tokens, cache_write_tokens {total}")
    long = min(writes["cache_write_12h"], total)
    return {"cache_write_30m": total - long, "cache_write_12h": long}


def _within(prompt: int, cached: Mapping[str, int], notes: list[str]) -> dict[str, int]:
    """The prompt without what is cached: classes that add up to it, first ones first when they are more than it."""
    said = sum(cached.values())
    if said > prompt:
        notes.append(f"{said} cached and written tokens in a prompt of {prompt}")
    classes, room = {}, prompt
    for field, tokens in cached.items():
        classes[field] = min(tokens, room)
        room -= classes[field]
    return {"uncached": room, **classes}


def _terms(tier: Json) -> tuple[tuple[str, str], ...]:
    is_standard = tier is None or (isinstance(tier, str) and tier in _STANDARD_TIERS)
    return () if is_standard else (("service_tier", word_of(tier)),)


def _beside_tokens(tool_usage: Json, blocks: Sequence[Block]) -> tuple[int, str]:
    """Web searches that were billed, and what else was billed that no price is known for."""
    used = {block.tool for block in blocks if block.kind is BlockKind.SERVER_CALL}
    told = object_of(tool_usage)
    searches = object_of(told.get(_SEARCHES)).get("num_requests")
    strange = sorted(used & _BESIDE_TOKENS)
    strange += sorted(word_of(family) for family, counts in told.items() if family != _SEARCHES and _is_used(counts))
    if searches is None and _SEARCHES in used:
        strange.append("an untold number of web searches")
    elif searches is not None and not is_count(searches):
        strange.append(_SEARCHES)
    return searches if is_count(searches) else 0, f"{strange[0]} cannot be priced" if strange else ""


def _is_used(counts: Json) -> bool:
    """Whether a family of tools was used: one that was not has zero counts."""
    return any(map(_is_used, counts.values())) if isinstance(counts, Mapping) else bool(counts)
