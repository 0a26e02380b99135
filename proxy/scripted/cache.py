"""Prompt-cache accounting: the longest prefix written before, read at breakpoints, with two lifetimes.

A prompt is a row of blocks in the provider's order (tools, system, messages). An entry is the digest of a prefix; it
is written where a request carries `cache_control`, found again from a later breakpoint by looking back a few blocks,
and lives on when it is read. Entries belong to one model and one API key.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from proxy.scripted.settings import CacheRules
from proxy.scripted.view import blocks_of

Json = Mapping[str, Any]


class PromptBlock(NamedTuple):
    """One block of a prompt."""

    encoded: bytes
    """Canonical JSON without `cache_control`, role first."""
    tokens: int
    lifetime: str
    """`5m` or `1h` where a cache breakpoint stands; empty elsewhere."""


class Prompt(NamedTuple):
    """A request as its cache sees it."""

    model: str
    blocks: tuple[PromptBlock, ...]

    @property
    def tokens(self) -> int:
        """All of it."""
        return sum(block.tokens for block in self.blocks)


class InputUsage(NamedTuple):
    """Prompt tokens by how they are billed; the sum is the prompt."""

    uncached: int
    read: int
    written_5m: int
    written_1h: int


def prompt_of(body: Json, *, tokens_per_kib: int, automatic: bool = False) -> Prompt:
    """Tools, system and messages as blocks with their tokens and breakpoints."""
    blocks = [_block(owner, block, tokens_per_kib) for owner, block in _owned_blocks(body)]
    top = body.get("cache_control") or ({"type": "ephemeral"} if automatic else None)
    if top and blocks:
        blocks[-1] = blocks[-1]._replace(lifetime=blocks[-1].lifetime or str(top.get("ttl") or "5m"))
    return Prompt(str(body.get("model", "")), tuple(blocks))


def tokens_of(encoded: bytes, tokens_per_kib: int) -> int:
    """The provider's own tokenizer: a share of the bytes, rounded up."""
    return -(-len(encoded) * tokens_per_kib // 1024)


def encode(value: object) -> bytes:
    """Canonical JSON."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _owned_blocks(body: Json) -> Iterator[tuple[str, Json]]:
    yield from (("tools", tool) for tool in body.get("tools") or ())
    yield from (("system", block) for block in blocks_of(body.get("system")))
    for message in body.get("messages") or ():
        role = str(message.get("role", ""))
        yield from ((role, block) for block in blocks_of(message.get("content")))


def _block(owner: str, block: Json, tokens_per_kib: int) -> PromptBlock:
    control = block.get("cache_control") or {}
    bare = {name: value for name, value in block.items() if name != "cache_control"}
    encoded = encode([owner, bare])
    lifetime = str(control.get("ttl") or "5m") if control else ""
    return PromptBlock(encoded, tokens_of(encoded, tokens_per_kib), lifetime)


class _Entry(NamedTuple):
    lifetime: str
    expires_us: int


@dataclass(slots=True)
class PromptCache:
    """All entries of one provider."""

    rules: CacheRules
    _entries: dict[bytes, _Entry] = field(default_factory=dict)

    def bill(self, prompt: Prompt, *, salt: str, now_us: int) -> InputUsage:
        """Read what is cached, write what is marked, and say how each token is billed."""
        minimum = self.rules.minimum_by_model.get(prompt.model, self.rules.minimum_tokens)
        digests, sizes = _prefixes(prompt, salt)
        marks = [at for at, block in enumerate(prompt.blocks) if block.lifetime and sizes[at] >= minimum]
        read_at = self._longest(digests, marks, now_us)
        read = 0 if read_at is None else sizes[read_at]
        if read_at is not None:
            entry = self._entries[digests[read_at]]
            self._entries[digests[read_at]] = entry._replace(expires_us=now_us + self._lifetime_us(entry.lifetime))
        written = {"5m": 0, "1h": 0}
        done = read
        for at in marks:
            if sizes[at] > done:
                written[prompt.blocks[at].lifetime] += sizes[at] - done
                done = sizes[at]
                lifetime = prompt.blocks[at].lifetime
                self._entries[digests[at]] = _Entry(lifetime, now_us + self._lifetime_us(lifetime))
        return InputUsage(prompt.tokens - done, read, written["5m"], written["1h"])

    def _longest(self, digests: list[bytes], marks: list[int], now_us: int) -> int | None:
        for mark in reversed(marks):
            for at in range(mark, max(-1, mark - self.rules.lookback_blocks - 1), -1):
                entry = self._entries.get(digests[at])
                if entry is not None and entry.expires_us > now_us:
                    return at
        return None

    def _lifetime_us(self, lifetime: str) -> int:
        return self.rules.lifetime_1h_us if lifetime == "1h" else self.rules.lifetime_5m_us


def _prefixes(prompt: Prompt, salt: str) -> tuple[list[bytes], list[int]]:
    """Digest and tokens of the prefix that ends with each block."""
    running = hashlib.sha256(encode([salt, prompt.model]))
    digests, sizes, total = [], [], 0
    for block in prompt.blocks:
        running.update(b"%d:" % len(block.encoded) + block.encoded)
        total += block.tokens
        digests.append(running.digest())
        sizes.append(total)
    return digests, sizes
