"""`usageMetadata` to one billed sampling (wire-formats 4, design §6).

Rules of this file:
- `promptTokenCount` holds what was read from the cache, `candidatesTokenCount` not the thoughts: output is both.
- `toolUsePromptTokenCount` (results of tools that the provider ran) stands beside the prompt and is input too: the
  API's total is the sum of prompt, candidates, tool use and thoughts.
- A count that is missing is zero (protobuf leaves zeros out), except the prompt's: without it nothing is known.
- Writes to the cache are not told: what is stored there is billed by time.
- A number that is no count makes the whole object unreadable: no iteration, never a zero in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.gemini.members import items, member
from proxy.wire.json_values import Json, object_of, text_of, word_of
from proxy.wire.token_counts import Billed, NotACountError, count_in

_TRAFFIC = "ON_DEMAND"
_PROVISIONED = "PROVISIONED_THROUGHPUT"
_APART = {
    "promptTokensDetails": frozenset({"AUDIO"}),
    "cacheTokensDetails": frozenset({"AUDIO"}),
    "toolUsePromptTokensDetails": frozenset({"AUDIO"}),
    "candidatesTokensDetails": frozenset({"AUDIO", "IMAGE", "VIDEO"}),
}
"""Modalities whose tokens have a price apart from text."""


def billed(usage: Json, *, model: str, searches: int = 0, blocked: bool = False) -> Billed:
    """The sampling that a usage object tells; none when the object is missing or cannot be read.

    Args:
        usage: As sent.
        model: As answered.
        searches: Queries that the provider ran for the reply.
        blocked: The prompt was refused before any output.
    """
    if not isinstance(usage, Mapping):
        return Billed((), "" if usage is None else "usage is not an object")
    notes: list[str] = []
    try:
        tokens = _tokens(usage, notes)
        apart = _apart(usage)
    except NotACountError as error:
        return Billed((), f"{error} is not a count")
    traffic = text_of(member(usage, "trafficType")).upper()
    reasons = (
        (blocked, "blocked before any output"),
        (bool(apart), f"{apart} tokens cannot be priced"),
        (bool(searches), "search grounding cannot be priced"),
        (traffic == _PROVISIONED, "provisioned throughput is not billed by token"),
    )
    iteration = Iteration(
        kind=IterationKind.MESSAGE,
        model=model,
        usage=tokens,
        server_tool_calls=searches,
        terms=_terms(traffic),
        unpriceable=next((reason for holds, reason in reasons if holds), ""),
    )
    return Billed((iteration,), "; ".join(notes))


def _tokens(usage: Mapping[str, Any], notes: list[str]) -> Usage:
    prompt = _count(usage, "promptTokenCount", required=True)
    read, tools = _count(usage, "cachedContentTokenCount"), _count(usage, "toolUsePromptTokenCount")
    candidates, thoughts = _count(usage, "candidatesTokenCount"), _count(usage, "thoughtsTokenCount")
    total, whole = _count(usage, "totalTokenCount"), prompt + tools + candidates + thoughts
    if total and total != whole:
        notes.append(f"totalTokenCount says {total}, its parts {whole}")
    if read > prompt:
        notes.append(f"cachedContentTokenCount says {read} of {prompt} prompt tokens")
        read = prompt
    return Usage(uncached=prompt - read + tools, cache_read=read, output=candidates + thoughts, reasoning=thoughts)


def _count(usage: Mapping[str, Any], name: str, *, required: bool = False) -> int:
    return count_in({name: member(usage, name)}, name, required=required)


def _apart(usage: Mapping[str, Any]) -> str:
    """A modality with tokens of another price than text; empty when there is none."""
    for name, modalities in _APART.items():
        for entry in map(object_of, items(usage, name)):
            modality = text_of(entry.get("modality")).upper()
            if modality in modalities and _count(entry, "tokenCount"):
                return modality.lower()
    return ""


def _terms(traffic: str) -> tuple[tuple[str, str], ...]:
    """`ON_DEMAND_FLEX` is the service tier `flex`."""
    tier = traffic.removeprefix(f"{_TRAFFIC}_").lower() if traffic.startswith(f"{_TRAFFIC}_") else ""
    return (("service_tier", word_of(tier)),) if tier else ()
