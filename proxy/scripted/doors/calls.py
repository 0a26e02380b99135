"""Model calls and token counts over HTTP, in every dialect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from aiohttp import web

from proxy.scripted.faces.chat.face import Chat
from proxy.scripted.faces.face import Face
from proxy.scripted.faces.gemini.face import Gemini
from proxy.scripted.faces.messages.face import Messages
from proxy.scripted.faces.responses.face import Compact, Responses
from proxy.scripted.provider import Provider
from proxy.scripted.sending.answer import Answer

PROVIDER = web.AppKey("provider", Provider)
OPENAI_PREFIXES = ("/v1", "", "/backend-api/codex")
"""Base URLs end in `/v1` or not; Codex with a ChatGPT login has its own."""
MODEL = "/{version:v1(?:beta|alpha)?}/models/{model}"


def add_calls(router: web.UrlDispatcher) -> None:
    """Routes of the four dialects."""
    router.add_post("/v1/messages", _calling(_messages))
    router.add_post("/v1/messages/count_tokens", _counting(_messages))
    for prefix in OPENAI_PREFIXES:
        router.add_post(f"{prefix}/responses", _calling(_responses))
        router.add_post(f"{prefix}/responses/compact", _calling(_compact))
        router.add_post(f"{prefix}/responses/input_tokens", _counting(_responses))
        router.add_post(f"{prefix}/chat/completions", _calling(_chat))
    router.add_post(f"{MODEL}:generateContent", _calling(_gemini))
    router.add_post(f"{MODEL}:streamGenerateContent", _calling(_gemini_stream))
    router.add_post(f"{MODEL}:countTokens", _counting(_gemini))


FaceOf = Callable[[web.Request], Face]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _messages(request: web.Request) -> Messages:
    return request.app[PROVIDER].messages()


def _responses(request: web.Request) -> Responses:
    return Responses(request.app[PROVIDER].memory)


def _compact(request: web.Request) -> Compact:
    return Compact(request.app[PROVIDER].memory)


def _chat(request: web.Request) -> Chat:
    return Chat(request.app[PROVIDER].settings.chat_server)


def _gemini(request: web.Request) -> Gemini:
    return Gemini(request.match_info["model"])


def _gemini_stream(request: web.Request) -> Gemini:
    return Gemini(request.match_info["model"], streams=True, as_events=request.query.get("alt") == "sse")


def _calling(face_of: FaceOf) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        answer = request.app[PROVIDER].answer(headers_of(request), await request.read(), face_of(request))
        await asyncio.sleep(answer.delay_s)
        return await write(request, answer)

    return handle


def _counting(face_of: FaceOf) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        counted = request.app[PROVIDER].count_tokens(headers_of(request), await request.read(), face_of(request))
        return await write(request, counted)

    return handle


def headers_of(request: web.Request) -> Mapping[str, str]:
    """Headers with names in lower case; a key in the address (Gemini) stands with them."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    return {"x-goog-api-key": request.query["key"], **headers} if "key" in request.query else headers


async def write(request: web.Request, answer: Answer) -> web.StreamResponse:
    """Send an answer piece by piece, and cut the connection where that was asked for."""
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    if answer.cut_after is None and len(answer.pieces) == 1:
        response.content_length = len(answer.pieces[0])
    await response.prepare(request)
    try:
        for number, piece in enumerate(answer.pieces):
            if number == answer.cut_after:
                cut(request)
                return response
            await response.write(piece)
            await asyncio.sleep(answer.piece_delay_s)
        await response.write_eof()
    except ConnectionResetError:
        pass  # Clients may leave as soon as they have the terminal event.
    return response


def cut(request: web.Request) -> None:
    """End the connection without an end."""
    if request.transport is not None:
        request.transport.abort()
