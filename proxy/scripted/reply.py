"""What an answer is before a dialect writes it, and what each sampling of it is billed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A whole answer in canonical form."""

    id: str
    """As the dialect writes it."""
    created_us: int
    model: str
    blocks: tuple[Json, ...]
    """Content blocks in the form of Anthropic Messages, call ids unique."""
    stop_reason: str
    """In the words of Anthropic Messages."""
    samplings: tuple[Sampling, ...]
    edits: tuple[Json, ...] = ()
    tells_usage: bool = True
    """The provider may forget to say what it billed."""


def sample(kind: str, model: str, prompt: InputUsage, blocks: Sequence[Json], tokens_per_kib: int) -> Sampling:
    """The bill of writing these blocks after that prompt; an answer costs one token at least."""
    sizes = [(block.get("type"), tokens_of(encode(block), tokens_per_kib)) for block in blocks]
    thinking = sum(size for kind_of, size in sizes if kind_of == "thinking")
    return Sampling(kind, model, prompt, max(1, sum(size for _, size in sizes)), thinking)


def prewarm(model: str, prompt: InputUsage) -> Sampling:
    """The bill of a prompt that is only written to the cache."""
    return Sampling("message", model, prompt, 0, 0)


class Totals(NamedTuple):
    """All samplings of an answer in the convention of OpenAI and Google: the prompt includes what was cached."""

    prompt: int
    read: int
    written_5m: int
    written_1h: int
    output: int
    """Includes thinking."""
    thinking: int


def totals(samplings: Sequence[Sampling]) -> Totals:
    """Sums over the samplings, compactions included."""
    inputs = [sampling.input for sampling in samplings]
    return Totals(
        prompt=sum(map(sum, inputs)),
        read=sum(each.read for each in inputs),
        written_5m=sum(each.written_5m for each in inputs),
        written_1h=sum(each.written_1h for each in inputs),
        output=sum(sampling.output for sampling in samplings),
        thinking=sum(sampling.thinking for sampling in samplings),
    )
