"""WebSockets for tests: frames put together by hand, frames of a real peer, and a socket's handshake."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import Any, cast

from aiohttp.base_protocol import BaseProtocol
from aiohttp.http_websocket import WebSocketWriter, WSMsgType

from proxy.model.exchange import Exchange, Outcome
from proxy.model.ids import ExchangeId

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9
MASK = b"\x37\xfa\x21\x3d"
OPENED_US = 1_750_000_000_000_000
DEFLATE = "permessage-deflate; client_max_window_bits=15"


def frame(payload: bytes = b"", opcode: int = TEXT, *, final: bool = True, mask: bytes = b"", bits: int = 0) -> bytes:
    """One frame; a client's has a `mask`, `bits` are the reserved ones."""
    size, masked = len(payload), 0x80 if mask else 0
    head = bytes([(0x80 if final else 0) | bits | opcode])
    if size < 126:
        head += bytes([masked | size])
    elif size < 1 << 16:
        head += bytes([masked | 126]) + size.to_bytes(2)
    else:
        head += bytes([masked | 127]) + size.to_bytes(8)
    return head + mask + bytes(byte ^ mask[at % 4] if mask else byte for at, byte in enumerate(payload))


class _Transport:
    def __init__(self) -> None:
        self.written = bytearray()

    def write(self, data: bytes) -> None:
        self.written += data

    def writelines(self, pieces: Iterable[bytes]) -> None:
        self.written += b"".join(pieces)

    def is_closing(self) -> bool:
        return False


def peer_frames(texts: Sequence[bytes], *, masked: bool, takeover: bool | None = None) -> bytes:
    """What aiohttp sends for these messages, compressed unless `takeover` is None."""

    async def send() -> bytes:
        transport = _Transport()
        protocol = BaseProtocol(asyncio.get_running_loop())
        writer = WebSocketWriter(
            protocol,
            cast("asyncio.Transport", transport),
            use_mask=masked,
            compress=0 if takeover is None else 15,
            notakeover=takeover is False,
        )
        for text in texts:
            await writer.send_frame(text, WSMsgType.TEXT)
        return bytes(transport.written)

    return asyncio.run(send())


def handshake(extensions: str = "", **changes: Any) -> Exchange:
    """A socket at its 101."""
    known: dict[str, Any] = {
        "id": ExchangeId("a" * 32, 7),
        "opened_us": OPENED_US,
        "upstream": "openai",
        "door": "base_url",
        "tag": "",
        "method": "GET",
        "target": "/v1/responses",
        "request_headers": (("session-id", "s1"),),
        "request_body": b"",
        "request_complete": True,
        "request_lost": 0,
        "status": 101,
        "response_headers": (("Sec-WebSocket-Extensions", extensions),) if extensions else (),
        "response_body": b"",
        "response_complete": False,
        "response_lost": 0,
        "first_byte_us": 500,
        "duration_us": None,
        "outcome": Outcome.CUT,
    }
    return Exchange(**known | changes)


def said(kind: str, **fields: Any) -> bytes:
    """The text of an event."""
    return json.dumps({"type": kind, **fields}).encode()


def create(text: str = "hi", **fields: Any) -> bytes:
    """The text of a `response.create`."""
    return said("response.create", model="m", input=text, **fields)


def answer(name: str, end: str = "response.completed", lane: str = "", parent: str | None = None) -> list[bytes]:
    """The events of one response: begun, a word, ended."""
    more = {"stream_id": lane} if lane else {}
    response = {"id": name, "previous_response_id": parent}
    return [
        said("response.created", response=response, **more),
        said("response.output_text.delta", delta=f"word of {name}", **more),
        said(end, response={**response, "usage": {"input_tokens": 1}}, **more),
    ]


def from_client(*texts: bytes) -> bytes:
    """Frames of a client."""
    return b"".join(frame(text, mask=MASK) for text in texts)


def from_server(*texts: bytes) -> bytes:
    """Frames of a server."""
    return b"".join(map(frame, texts))
