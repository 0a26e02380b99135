"""One tool result as it is compared: its hash, its significant lines, its size in reference tokens."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from hashlib import sha256

import orjson

from proxy.ledger.results import ResultText
from proxy.model.messages import Block
from proxy.sessions import lines


@dataclass(frozen=True, slots=True)
class Content:
    """A result's normalised content."""

    sha256: str
    text_lines: tuple[str, ...]
    """The significant lines."""
    lines: bytes
    """Packed digests of them."""
    tokens_ref: int

    @classmethod
    def of(cls, result: ResultText, block: Block, count: Callable[[str], int]) -> Content:
        """The content of a result block; media without text is hashed as sent."""
        body = result.text.encode("utf-8", "surrogatepass") or _media(block)
        significant = lines.significant_of(result.lines)
        return cls(
            sha256=sha256(body).hexdigest(),
            text_lines=significant,
            lines=lines.pack(significant),
            tokens_ref=count(block.text),
        )

    def among(self, wanted: Container[bytes]) -> dict[bytes, str]:
        """The significant lines, each once, that are among the wanted ones; by their digests."""
        found: dict[bytes, str] = {}
        for digest, line in zip(lines.unpack(self.lines), self.text_lines, strict=True):
            if digest in wanted:
                found.setdefault(digest, line)
        return found


def _media(block: Block) -> bytes:
    """What a result without text shows: images and the like as sent, nothing for an empty one."""
    content = block.raw.get("content") if isinstance(block.raw, dict) else None
    parts = content if isinstance(content, list) else []
    media = [part for part in parts if not (isinstance(part, dict) and part.get("type") == "text")]
    return orjson.dumps(media, option=orjson.OPT_SORT_KEYS) if media else b""


def arguments_text(call: Block) -> str:
    """A call's arguments as text: as sent when they could not be parsed."""
    return call.raw_arguments if call.arguments is None else orjson.dumps(dict(call.arguments)).decode()


def digest_of(arguments: str) -> str:
    """SHA-256 of a call's arguments as text."""
    return sha256(arguments.encode("utf-8", "surrogatepass")).hexdigest()
