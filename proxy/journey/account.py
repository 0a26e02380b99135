"""What each sampling of an exchange billed, and why the prompt cache missed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import orjson

from proxy.model.exchange import Exchange
from proxy.model.facts import IterationFact
from proxy.model.ids import SessionId
from proxy.model.messages import Reply
from proxy.model.usage import Iteration, IterationKind, Price, Usage
from proxy.sessions.thread import Thread

Pricing = Callable[[Iteration, int], Price]
"""What an iteration cost at a time (UTC microseconds)."""

LIFETIME_US = 5 * 60 * 1_000_000
LONG_LIFETIME_US = 60 * 60 * 1_000_000
"""Lifetimes of a prompt-cache entry since its last use (wire-formats 1.2)."""

CONTEXT_KINDS = (IterationKind.MESSAGE, IterationKind.FALLBACK)


class Parts(NamedTuple):
    """One price taken apart, in 10^-12 USD; all None when unpriced."""

    fresh: int | None
    written: int | None
    output: int | None
    warm: int | None


def iterations(
    exchange: Exchange, session: SessionId, thread: Thread, reply: Reply, price: Pricing
) -> list[IterationFact]:
    """One fact per billed sampling."""
    raw = orjson.dumps(reply.usage_raw, option=orjson.OPT_SORT_KEYS).decode() if reply.usage_raw else ""
    facts = []
    for index, iteration in enumerate(reply.iterations):
        usage = iteration.usage
        cost = price(iteration, exchange.opened_us)
        parts = take_apart(iteration, cost, exchange.opened_us, price)
        facts.append(
            IterationFact(
                **exchange.id._asdict(),
                iteration=index,
                session=session,
                thread=thread.id,
                kind=iteration.kind,
                model=iteration.model,
                uncached=usage.uncached,
                cache_read=usage.cache_read,
                cache_write_5m=usage.cache_write_5m,
                cache_write_1h=usage.cache_write_1h,
                cache_write_30m=usage.cache_write_30m,
                cache_write_12h=usage.cache_write_12h,
                output=usage.output,
                reasoning=usage.reasoning,
                server_tool_calls=iteration.server_tool_calls,
                pico_usd=cost.pico_usd,
                fresh_pico_usd=parts.fresh,
                written_pico_usd=parts.written,
                output_pico_usd=parts.output,
                warm_pico_usd=parts.warm,
                unpriced=cost.reason,
                price_table=cost.table,
                usage_raw="" if index else raw,
            )
        )
    return facts


def take_apart(iteration: Iteration, cost: Price, at_us: int, price: Pricing) -> Parts:
    """Split a price into fresh input, cached input and output, all under the tier of the whole prompt."""
    usage, prompt = iteration.usage, iteration.usage.input
    read_all = price(_with(iteration, Usage(cache_read=prompt)), at_us).pico_usd
    warm = price(replace(iteration, usage=Usage(cache_read=prompt, output=usage.output)), at_us).pico_usd
    if cost.pico_usd is None or read_all is None or warm is None:
        return Parts(None, None, None, None)
    cached = read_all * usage.cache_read // prompt if prompt else 0
    output = warm - read_all
    written = _written(iteration, read_all, at_us, price)
    return Parts(fresh=cost.pico_usd - cached - output, written=written, output=output, warm=warm)


def _written(iteration: Iteration, read_all: int, at_us: int, price: Pricing) -> int | None:
    """The price of what was written to the cache: a prompt of which all else was read, less those reads."""
    usage = iteration.usage
    if not usage.cache_write:
        return 0
    prompt = usage.input
    rest = prompt - usage.cache_write
    only = replace(usage, uncached=0, cache_read=rest, output=0, reasoning=0)
    found = price(_with(iteration, only), at_us).pico_usd
    return None if found is None else found - read_all * rest // prompt


def _with(iteration: Iteration, usage: Usage) -> Iteration:
    """The sampling as if that were all it used."""
    return Iteration(
        kind=iteration.kind,
        model=iteration.model,
        usage=usage,
        terms=iteration.terms,
        unpriceable=iteration.unpriceable,
    )


def context_usage(reply: Reply) -> Usage | None:
    """Usage of the last sampling of the conversation itself: its input is the context in use (wire-formats 1.5)."""
    own = [iteration.usage for iteration in reply.iterations if iteration.kind in CONTEXT_KINDS]
    return own[-1] if own else None


class Cached(NamedTuple):
    """What of a thread stood in the prompt cache after its last turn."""

    tokens: int | None
    long_lived: bool
    last_us: int

    @classmethod
    def of(cls, thread: Thread) -> Cached:
        """As of now."""
        return cls(thread.cached_tokens, thread.long_lived, thread.last_us)


def cache_miss(cached: Cached, usage: Usage | None, at_us: int, *, crossed: bool, same_head: bool) -> str:
    """Why less was read from the prompt cache than the thread had put there; empty when it was all read.

    Not measured (empty) without usage, or when the thread never used the cache.
    """
    if usage is None or (usage.cache_read == 0 and usage.cache_write == 0):
        return ""
    if cached.tokens is None:
        return "cold" if usage.cache_read == 0 else ""
    if usage.cache_read >= cached.tokens:
        return ""
    if crossed:
        return "compaction"
    lifetime = LONG_LIFETIME_US if cached.long_lived else LIFETIME_US
    if at_us - cached.last_us > lifetime:
        return "ttl"
    return "history changed" if same_head else "prefix changed"
