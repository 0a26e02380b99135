"""Responses over WebSocket: `response.create` frames, lanes in parallel, errors as frames (wire-formats 2.6)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from proxy.scripted.doors.calls import OPENAI_PREFIXES, PROVIDER, cut, headers_of
from proxy.scripted.faces.face import Failure, json_bytes
from proxy.scripted.faces.responses.face import Socket
from proxy.scripted.faces.responses.memory import Memory
from proxy.scripted.provider import Provider

MAX_FRAME_BYTES = 256 * 1024 * 1024
OPEN = web.AppKey("open", set[web.WebSocketResponse])


def add_sockets(app: web.Application) -> None:
    """The handshakes; whoever is still connected at the end is told to go."""
    app[OPEN] = set()
    app.on_shutdown.append(_close)
    for prefix in OPENAI_PREFIXES:
        app.router.add_get(f"{prefix}/responses", _handshake)


async def _close(app: web.Application) -> None:
    for socket in app[OPEN].copy():
        await socket.close(code=WSCloseCode.GOING_AWAY)


async def _handshake(request: web.Request) -> web.StreamResponse:
    provider = request.app[PROVIDER]
    socket = web.WebSocketResponse(max_msg_size=MAX_FRAME_BYTES)
    if not provider.settings.sockets or not socket.can_prepare(request).ok:
        return web.Response(status=404)
    await socket.prepare(request)
    talk = _Talk(provider, request, socket, headers_of(request), provider.memory.in_front())
    request.app[OPEN].add(socket)
    try:
        async with asyncio.TaskGroup() as lanes:
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    talk.take(frame.data, lanes)
    finally:
        request.app[OPEN].discard(socket)
    return socket


@dataclass(slots=True)
class _Talk:
    """One open socket."""

    provider: Provider
    request: web.Request
    socket: web.WebSocketResponse
    headers: Mapping[str, str]
    """Of the handshake."""
    memory: Memory
    """What this socket has said, stored or not."""
    _turns: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    def take(self, text: str, lanes: asyncio.TaskGroup) -> None:
        """Answer a client's frame: one after the other in its lane, beside the other lanes."""
        document = _object(text)
        lane = str(document.get("stream_id") or "")
        lanes.create_task(self._answer(lane, document, text))

    async def _answer(self, lane: str, document: Mapping[str, Any], text: str) -> None:
        face = Socket(self.memory, lane=lane)
        async with self._turns[lane]:
            if document.get("type") != "response.create":
                wrong = Failure(400, "Only `response.create` is scripted.", "invalid_request", "type")
                await self._send(json_bytes(face.failure_document(wrong, "")))
                return
            answer = self.provider.answer(self.headers, text.encode(), face)
            await asyncio.sleep(answer.delay_s)
            for number, piece in enumerate(answer.pieces):
                if number == answer.cut_after:
                    cut(self.request)
                    return
                await self._send(piece)
                await asyncio.sleep(answer.piece_delay_s)

    async def _send(self, piece: bytes) -> None:
        with contextlib.suppress(ConnectionResetError):  # the client may have left
            await self.socket.send_str(piece.decode("utf-8", "replace"))


def _object(text: str) -> Mapping[str, Any]:
    try:
        document = json.loads(text)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}
