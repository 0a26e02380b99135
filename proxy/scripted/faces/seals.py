"""Opaque texts that only this provider can open: reasoning and summaries as OpenAI encrypts them."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass, field


@dataclass(slots=True)
class Seals:
    """Tokens given out, and what each stands for. A token is as long as its text would be, and tells nothing of it."""

    salt: str
    _opened: dict[str, str] = field(default_factory=dict)

    def seal(self, text: str) -> str:
        """The token for a text; equal texts get equal tokens."""
        content = text.encode("utf-8", "surrogatepass")
        noise = hashlib.shake_256(self.salt.encode() + content).digest(16 + len(content))
        token = "gAAAA" + base64.urlsafe_b64encode(noise).decode()
        self._opened[token] = text
        return token

    def open(self, token: object) -> str | None:
        """What a token stands for; None for a foreign one."""
        return self._opened.get(token) if isinstance(token, str) else None
