"""The provider's usage object to billed iterations with one identity (wire-formats 1.5, design §6, S0-84).

Rules of this file:
- `input_tokens` is the uncached part only; the whole prompt is uncached + read + written.
- The top level leaves out `compaction` and `advisor_message` entries: they are billed beside it (F59, F60).
- `message` and `fallback_message` entries are priced one by one when they add up to the top level, or when those of
  the answering model do (the others are declined attempts and not part of it, bifrost#6500). Else the top level is
  priced with the answering model, and the disagreement is said.
- A number that is no count makes the whole object unreadable: no iterations, never a zero in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from proxy.model.usage import Iteration, IterationKind, Usage
from proxy.wire.json_values import text_of, word_of
from proxy.wire.token_counts import Billed, NotACountError, count_in, is_count

_LIFETIMES = {"ephemeral_5m_input_tokens": "cache_write_5m", "ephemeral_1h_input_tokens": "cache_write_1h"}
_SAMPLED = frozenset({IterationKind.MESSAGE, IterationKind.FALLBACK})
_TOTALS = ("uncached", "cache_read", "cache_write", "output")
"""All four are compared: input and output alone hide a wrong cache count (F60)."""

_TERM_DEFAULTS = {
    "inference_geo": frozenset({"global", "not_available"}),
    "service_tier": frozenset({"standard"}),
    "speed": frozenset({"standard"}),
}
_FREE_TOOLS = frozenset({"web_fetch_requests"})
"""Server tools without a price of their own: what they fetch is billed as input tokens."""
_PRICED_TOOL = "web_search_requests"


class Answer(NamedTuple):
    """What the rest of the reply says about its usage."""

    model: str
    only_compaction: bool = False
    """The reply holds nothing but a compaction block."""
    refused_empty: bool = False
    """The model declined before any output."""


class _Entry(NamedTuple):
    kind: IterationKind
    model: str
    usage: Usage
    has_lifetimes: bool


def billed(usage: object, answer: Answer) -> Billed:
    """Iterations in the provider's order; none when the object is missing or cannot be read."""
    if not isinstance(usage, Mapping):
        return Billed((), "" if usage is None else "usage is not an object")
    notes: list[str] = []
    try:
        top = _entry(IterationKind.MESSAGE, answer.model, usage, notes)
        entries = _entries(usage.get("iterations"), answer.model, notes)
    except NotACountError as error:
        return Billed((), f"{error} is not a count")
    sampled = _sampled(top, entries, answer, notes)
    iterations = _in_order(entries, sampled)
    _add_reasoning(iterations, usage)
    _add_terms(iterations, usage, answer)
    _add_server_tools(iterations, usage)
    return Billed(tuple(iterations), "; ".join(dict.fromkeys(notes)))


def _entry(kind: IterationKind, model: str, raw: Mapping[str, Any], notes: list[str]) -> _Entry:
    writes, has_lifetimes = _writes(raw, notes)
    usage = Usage(
        uncached=count_in(raw, "input_tokens", required=True),
        cache_read=count_in(raw, "cache_read_input_tokens"),
        output=count_in(raw, "output_tokens", required=True),
        **writes,
    )
    return _Entry(kind, model, usage, has_lifetimes)


def _writes(raw: Mapping[str, Any], notes: list[str]) -> tuple[dict[str, int], bool]:
    """Tokens written by lifetime; without a split all are five-minute ones, which is the API's default."""
    split = raw.get("cache_creation")
    total = count_in(raw, "cache_creation_input_tokens")
    if not isinstance(split, Mapping):
        return {"cache_write_5m": total}, False
    writes = {ours: count_in(split, theirs) for theirs, ours in _LIFETIMES.items()}
    stated = sum(writes.values())
    if raw.get("cache_creation_input_tokens") is None or stated == total:
        return writes, True
    notes.append(f"cache_creation says {stated} tokens, cache_creation_input_tokens {total}")
    hour = min(writes["cache_write_1h"], total)
    return {"cache_write_5m": total - hour, "cache_write_1h": hour}, True


def _entries(raw: object, model: str, notes: list[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    for item in raw if isinstance(raw, list) else ():
        kind = text_of(item.get("type")) if isinstance(item, Mapping) else ""
        if kind in IterationKind:
            entries.append(_entry(IterationKind(kind), text_of(item.get("model")) or model, item, notes))
        else:
            notes.append(f"iteration type {word_of(kind)} is unknown and left out")
    return entries


def _sampled(top: _Entry, entries: Sequence[_Entry], answer: Answer, notes: list[str]) -> list[_Entry]:
    """The entries that stand for the top level."""
    inside = [entry for entry in entries if entry.kind in _SAMPLED]
    if not inside:
        return _without_entries(top, entries, answer, notes)
    serving = next((entry.model for entry in inside if entry.kind is IterationKind.FALLBACK), answer.model)
    served = [entry for entry in inside if entry.model == serving]
    for candidates in (inside, served):
        if _totals(_sum(candidates)) == _totals(top.usage):
            if any(entry.usage.output for entry in inside if entry not in candidates):
                notes.append("a declined attempt with output is left out")
            return _with_lifetimes(candidates, top, notes)
    notes.append(f"iterations add up to {_said(_sum(inside))}, the top level says {_said(top.usage)}")
    return [top]


def _without_entries(top: _Entry, entries: Sequence[_Entry], answer: Answer, notes: list[str]) -> list[_Entry]:
    if not entries:
        kind = IterationKind.COMPACTION if answer.only_compaction else IterationKind.MESSAGE
        return [top._replace(kind=kind)]
    if top.usage == Usage():
        return []
    if _totals(top.usage) == _totals(_sum(entries)):
        notes.append("the top level repeats its extra iterations")
        return []
    return [top]


def _with_lifetimes(entries: Sequence[_Entry], top: _Entry, notes: list[str]) -> list[_Entry]:
    """Entries often leave the lifetimes of their writes to the top level (wire-formats 1.5, example)."""
    if not top.has_lifetimes:
        return list(entries)
    if any(entry.has_lifetimes for entry in entries):
        if _sum(entries).cache_write_1h != top.usage.cache_write_1h:
            notes.append("iterations and top level tell different lifetimes of cache writes")
        return list(entries)
    hours = _spread(top.usage.cache_write_1h, [entry.usage.cache_write for entry in entries])
    writing = sum(1 for entry in entries if entry.usage.cache_write)
    if writing > 1 and 0 < top.usage.cache_write_1h < top.usage.cache_write:
        notes.append("lifetimes of cache writes are not told by iteration")
    return [
        entry._replace(usage=replace(entry.usage, cache_write_5m=entry.usage.cache_write - hour, cache_write_1h=hour))
        for entry, hour in zip(entries, hours, strict=True)
    ]


def _in_order(entries: Sequence[_Entry], sampled: Sequence[_Entry]) -> list[Iteration]:
    """Extra entries where they stood; what stands for the top level where its last ones stood."""
    places = [place for place, entry in enumerate(entries) if entry.kind in _SAMPLED]
    waiting = list(sampled)
    ordered: list[_Entry] = []
    for place, entry in enumerate(entries):
        if entry.kind not in _SAMPLED:
            ordered.append(entry)
        elif waiting and place >= places[-len(waiting)]:
            ordered.append(waiting.pop(0))
    return [Iteration(kind=kind, model=model, usage=usage) for kind, model, usage, _ in (*ordered, *waiting)]


def _add_reasoning(iterations: list[Iteration], usage: Mapping[str, Any]) -> None:
    """The top level alone tells thinking tokens; they are put to the last samplings that have room for them."""
    details = usage.get("output_tokens_details")
    thinking = details.get("thinking_tokens") if isinstance(details, Mapping) else None
    if type(thinking) is not int or thinking <= 0:
        return
    places = [place for place, iteration in enumerate(iterations) if iteration.kind in _SAMPLED][::-1]
    shares = _spread(thinking, [iterations[place].usage.output for place in places])
    for place, share in zip(places, shares, strict=True):
        iteration = iterations[place]
        iterations[place] = replace(iteration, usage=replace(iteration.usage, reasoning=share))


def _add_terms(iterations: list[Iteration], usage: Mapping[str, Any], answer: Answer) -> None:
    stated = ((name, text_of(usage.get(name)), defaults) for name, defaults in _TERM_DEFAULTS.items())
    terms = tuple((name, word_of(value)) for name, value, defaults in stated if value and value not in defaults)
    credit = _status(usage.get("fallback_credit"))
    for place, iteration in enumerate(iterations):
        reason = ""
        if iteration.kind in _SAMPLED and answer.refused_empty:
            reason = "refused before any output"
        elif iteration.kind in _SAMPLED and credit == "redeemed":
            reason = "fallback credit redeemed"
        elif iteration.model != answer.model and any(name == "speed" for name, _ in terms):
            reason = "speed of another model's sampling is not told"
        iterations[place] = replace(iteration, terms=terms, unpriceable=reason)


def _status(credit: object) -> str:
    status = credit.get("status") if isinstance(credit, Mapping) else None
    return text_of(status.get("type")) if isinstance(status, Mapping) else ""


def _add_server_tools(iterations: list[Iteration], usage: Mapping[str, Any]) -> None:
    """Requests are told for the whole reply; they stand on its last sampling, so that sums stay right."""
    tools = usage.get("server_tool_use")
    if not isinstance(tools, Mapping) or not iterations:
        return
    sampled = [place for place, iteration in enumerate(iterations) if iteration.kind in _SAMPLED]
    place = sampled[-1] if sampled else len(iterations) - 1
    searches = tools.get(_PRICED_TOOL)
    countable = searches is None or is_count(searches)
    unknown = [name for name, count in tools.items() if name not in {_PRICED_TOOL, *_FREE_TOOLS} and count]
    unpriced = _PRICED_TOOL if not countable else unknown[0] if unknown else ""
    iterations[place] = replace(
        iterations[place],
        server_tool_calls=(searches or 0) if countable else 0,
        unpriceable=iterations[place].unpriceable or (f"{word_of(unpriced)} cannot be priced" if unpriced else ""),
    )


def _spread(amount: int, rooms: Sequence[int]) -> list[int]:
    """Shares of `amount`, first places first, none over its room."""
    shares: list[int] = []
    for room in rooms:
        shares.append(min(amount, room))
        amount -= shares[-1]
    return shares


def _sum(entries: Sequence[_Entry]) -> Usage:
    return sum((entry.usage for entry in entries), Usage())


def _totals(usage: Usage) -> tuple[int, ...]:
    return tuple(getattr(usage, name) for name in _TOTALS)


def _said(usage: Usage) -> str:
    return "/".join(str(total) for total in _totals(usage))
