"""What a scripted provider can be told to be. Everything is declared; nothing is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from proxy.scripted.faces.chat.servers import ChatServer
from proxy.scripted.script import Habits, Script

MINUTE_US = 60 * 1_000_000


class Encoding(StrEnum):
    """Content encoding of answers."""

    IDENTITY = "identity"
    GZIP = "gzip"
    BR = "br"
    ZSTD = "zstd"


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """Declared waiting, in seconds. In deterministic mode the logical clock moves by it and nobody sleeps."""

    first_byte_s: float = 0.0
    per_piece_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunking:
    """How an answer is cut into pieces, each written by itself."""

    delta_chars: int = 200
    """Characters of text or JSON in one delta event."""
    frames_per_piece: int = 1
    """SSE frames in one piece."""
    split_bytes: int | None = None
    """Cut every n bytes instead, without regard to frames."""
    pings: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheRules:
    """The prompt cache's rules (wire-formats 1.5)."""

    minimum_tokens: int = 1024
    """Shorter prefixes are not cached."""
    minimum_by_model: Mapping[str, int] = field(default_factory=dict)
    """Exceptions, by model name."""
    lookback_blocks: int = 20
    """How many blocks before a breakpoint are tried for an earlier entry."""
    lifetime_5m_us: int = 5 * MINUTE_US
    lifetime_1h_us: int = 60 * MINUTE_US
    automatic: bool = False
    """Treat every request as if it carried the top-level `cache_control`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderSettings:
    """One provider. Identical settings and requests give identical answers byte for byte in deterministic mode."""

    host: str = "127.0.0.1"
    port: int = 0
    """0 = a free one."""
    scripts: tuple[Script, ...] = ()
    """Chosen by the marker in the visible context; without a match every turn is a short text."""
    habits: Habits = field(default_factory=Habits)
    seed: int = 0
    deterministic: bool = False
    """Logical clock and ids from the seed; else wall clock and ids that no two runs share."""
    answered_model: str = ""
    """Model named in answers; empty = the one asked for."""
    tokens_per_kib: int = 256
    """The provider's own tokenizer: this many tokens per 1,024 bytes of a block, rounded up per block."""
    latency: Latency = field(default_factory=Latency)
    chunking: Chunking = field(default_factory=Chunking)
    encoding: Encoding = Encoding.IDENTITY
    cache: CacheRules = field(default_factory=CacheRules)
    report_iterations: bool = False
    """Report `usage.iterations` on every answer, not only where a compaction made several."""
    chat_server: ChatServer = field(default_factory=ChatServer)
    """How Chat Completions are spoken: OpenAI's way, or a compatible server's."""
    sockets: bool = True
    """Take WebSockets at the Responses endpoint; else the handshake gets a 404."""
