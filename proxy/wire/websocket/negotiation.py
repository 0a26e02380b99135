"""What the two ends of a WebSocket agreed upon in its handshake: which extension changes the meaning of its frames.

Only what the server answered counts; what the client offered is no agreement (RFC 6455 9.1).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from proxy.model.exchange import Headers
from proxy.wire.json_values import word_of

_HEADER = "sec-websocket-extensions"
_DEFLATE = "permessage-deflate"
_WINDOW_BITS = re.compile(r"[89]|1[0-5]")
_PARAMETERS = {
    "server_no_context_takeover": re.compile(""),
    "client_no_context_takeover": re.compile(""),
    "server_max_window_bits": _WINDOW_BITS,
    "client_max_window_bits": _WINDOW_BITS,
}
"""Parameters of an answer, with what their value has to be (RFC 7692 7.1)."""


class UnreadableError(Exception):
    """The frames of this socket mean something that is not known here; `reason` says what, without content."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Compression(NamedTuple):
    """permessage-deflate is in use. Window sizes do not matter to a reader: the largest window reads them all."""

    client_takeover: bool
    """Messages of the client refer back to its earlier ones."""
    server_takeover: bool


def negotiated(headers: Headers) -> Compression | None:
    """Read the headers of a 101; None when frames are plain.

    Raises:
        UnreadableError: An unknown extension, or parameters that no server may answer.
    """
    answers = [text for name, value in headers if name.lower() == _HEADER for text in value.split(",") if text.strip()]
    if not answers:
        return None
    for answer in answers:
        name = answer.partition(";")[0].strip()
        if name.lower() != _DEFLATE:
            raise UnreadableError(f"websocket extension: {word_of(name)}")
    if len(answers) > 1:
        raise UnreadableError(f"websocket extension: {_DEFLATE} twice")
    found = _parameters(answers[0])
    return Compression("client_no_context_takeover" not in found, "server_no_context_takeover" not in found)


def _parameters(answer: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for text in answer.split(";")[1:]:
        name, _, value = (part.strip() for part in text.partition("="))
        allowed = _PARAMETERS.get(name)
        if allowed is None or name in found or not allowed.fullmatch(value.strip('"')):
            raise UnreadableError(f"websocket extension: {_DEFLATE} parameters")
        found[name] = value
    return found
