"""The usage object of a chat completion to one billed sampling (wire-formats 3.1, 3.2, design §6).

Rules of this file:
- `prompt_tokens` holds what was read from and written to the cache; uncached is what is left.
- Read: `prompt_tokens_details.cached_tokens`, else DeepSeek's `prompt_cache_hit_tokens`, else llama.cpp's
  `timings.cache_n`. Written: `cache_write_tokens`, for 30 minutes (the API's shortest lifetime) when none is told.
- `completion_tokens` holds the reasoning, unless the total adds up only with the reasoning on top (xAI): then it does
  not, and both are output.
- A number that is no count makes the whole object unreadable: no iteration, never a zero in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.json_values import Json, object_of, word_of
from proxy.wire.token_counts import Billed, NotACountError, count_in

_STANDARD_TIERS = frozenset({"auto", "default", "standard"})
_LIFETIMES = {"ttl_30m_tokens": "cache_write_30m", "ttl_12h_tokens": "cache_write_12h"}


class _Cached(NamedTuple):
    read: int
    writes: dict[str, int]


class _Output(NamedTuple):
    tokens: int
    reasoning: int


def billed(usage: Json, *, model: str, tier: str = "") -> Billed:
    """The sampling that a usage object tells; none when the object is missing or cannot be read.

    Args:
        usage: As sent, with llama.cpp's `timings` beside its own fields when the server sent some.
        model: As answered.
        tier: The reply's `service_tier`.
    """
    if not isinstance(usage, Mapping):
        return Billed((), "" if usage is None else "usage is not an object")
    notes: list[str] = []
    try:
        prompt = count_in(usage, "prompt_tokens", required=True)
        cached = _cached(usage, prompt, notes)
        output = _output(usage, prompt, notes)
        audio = _audio(usage)
    except NotACountError as error:
        return Billed((), f"{error} is not a count")
    iteration = Iteration(
        kind=IterationKind.MESSAGE,
        model=model,
        usage=Usage(
            uncached=prompt - cached.read - sum(cached.writes.values()),
            cache_read=cached.read,
            output=output.tokens,
            reasoning=output.reasoning,
            **cached.writes,
        ),
        terms=(("service_tier", word_of(tier)),) if tier and tier not in _STANDARD_TIERS else (),
        unpriceable="audio tokens cannot be priced" if audio else "",
    )
    return Billed((iteration,), "; ".join(notes))


def _cached(usage: Mapping[str, Any], prompt: int, notes: list[str]) -> _Cached:
    """What of the prompt was read and written; never more than the prompt."""
    details = object_of(usage.get("prompt_tokens_details"))
    places = (
        (details, "cached_tokens"),
        (usage, "prompt_cache_hit_tokens"),
        (object_of(usage.get("timings")), "cache_n"),
    )
    read = next((count_in(*place) for place in places if place[0].get(place[1]) is not None), 0)
    writes = _writes(details, notes)
    if read + sum(writes.values()) > prompt:
        notes.append(f"cache counts say {read} read and {sum(writes.values())} written of {prompt} prompt tokens")
        read = min(read, prompt)
        writes = {"cache_write_30m": min(sum(writes.values()), prompt - read)}
    missed = usage.get("prompt_cache_miss_tokens")
    if missed is not None and read + count_in(usage, "prompt_cache_miss_tokens") != prompt:
        notes.append(f"prompt_cache_hit_tokens and prompt_cache_miss_tokens do not add up to {prompt}")
    return _Cached(read, writes)


def _writes(details: Mapping[str, Any], notes: list[str]) -> dict[str, int]:
    total = count_in(details, "cache_write_tokens")
    split = {
        ours: count_in(object_of(details.get("cache_write_tokens_details")), theirs)
        for theirs, ours in _LIFETIMES.items()
    }
    stated = sum(split.values())
    if stated in (total, 0):
        return split if stated else {"cache_write_30m": total}
    notes.append(f"cache_write_tokens_details says {stated} tokens, cache_write_tokens {total}")
    long = min(split["cache_write_12h"], total)
    return {"cache_write_30m": total - long, "cache_write_12h": long}


def _output(usage: Mapping[str, Any], prompt: int, notes: list[str]) -> _Output:
    completion = count_in(usage, "completion_tokens", required=True)
    reasoning = count_in(object_of(usage.get("completion_tokens_details")), "reasoning_tokens")
    total = count_in(usage, "total_tokens")
    if total and total == prompt + completion + reasoning:
        return _Output(completion + reasoning, reasoning)
    if total and total != prompt + completion:
        notes.append(f"total_tokens says {total}, prompt and completion {prompt + completion}")
    if reasoning > completion:
        notes.append(f"reasoning_tokens says {reasoning} of {completion} completion tokens")
    return _Output(completion, min(reasoning, completion))


def _audio(usage: Mapping[str, Any]) -> int:
    """Audio is priced apart from text, and which of its tokens were cached is not told."""
    return sum(
        count_in(object_of(usage.get(details)), "audio_tokens")
        for details in ("prompt_tokens_details", "completion_tokens_details")
    )
