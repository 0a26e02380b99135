"""The aiohttp door of a scripted provider."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from proxy.scripted.cache import encode
from proxy.scripted.provider import Provider
from proxy.scripted.reply import error
from proxy.scripted.settings import ProviderSettings
from proxy.scripted.writing import Answer

MAX_BODY_BYTES = 256 * 1024 * 1024
PROVIDER = web.AppKey("provider", Provider)


def application(provider: Provider) -> web.Application:
    """Routes of Anthropic Messages; anything else is a 404 in the provider's words."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app[PROVIDER] = provider
    app.router.add_post("/v1/messages", _messages)
    app.router.add_post("/v1/messages/count_tokens", _count_tokens)
    app.router.add_get("/v1/models", _models)
    app.router.add_route("*", "/{anything:.*}", _other)
    return app


async def _messages(request: web.Request) -> web.StreamResponse:
    provider = request.app[PROVIDER]
    headers = {name.lower(): value for name, value in request.headers.items()}
    answer = provider.answer(headers, await request.read())
    await asyncio.sleep(answer.delay_s)
    return await _write(request, answer)


async def _write(request: web.Request, answer: Answer) -> web.StreamResponse:
    response = web.StreamResponse(status=answer.status, headers=answer.headers)
    if answer.cut_after is None and len(answer.pieces) == 1:
        response.content_length = len(answer.pieces[0])
    await response.prepare(request)
    try:
        for number, piece in enumerate(answer.pieces):
            if number == answer.cut_after:
                _cut(request)
                return response
            await response.write(piece)
            await asyncio.sleep(answer.piece_delay_s)
        await response.write_eof()
    except ConnectionResetError:
        pass  # Clients may leave as soon as they have the terminal event.
    return response


def _cut(request: web.Request) -> None:
    if request.transport is not None:
        request.transport.abort()


async def _count_tokens(request: web.Request) -> web.StreamResponse:
    headers = {name.lower(): value for name, value in request.headers.items()}
    return await _write(request, request.app[PROVIDER].count_tokens(headers, await request.read()))


async def _models(request: web.Request) -> web.Response:
    name = request.app[PROVIDER].settings.answered_model or "scripted"
    models = {"data": [{"type": "model", "id": name, "display_name": name}], "has_more": False}
    return web.Response(body=encode(models), content_type="application/json")


async def _other(request: web.Request) -> web.Response:
    """Clients look with HEAD whether anybody is there."""
    if request.method == "HEAD":
        return web.Response()
    body = encode(error("not_found_error", f"{request.path} is not scripted", "req_none"))
    return web.Response(status=404, body=body, content_type="application/json")


@asynccontextmanager
async def serving(provider: Provider, *, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    """Serve inside the block; gives the base URL."""
    settings = provider.settings
    runner = web.AppRunner(application(provider), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    try:
        site = web.TCPSite(runner, settings.host, settings.port, ssl_context=tls)
        await site.start()
        host, port = runner.addresses[0][:2]
        yield f"{'http' if tls is None else 'https'}://{host}:{port}"
    finally:
        await runner.cleanup()


async def run_provider(settings: ProviderSettings, *, ready: Callable[[str], object]) -> None:
    """Serve until cancelled; `ready` gets the base URL once connections are accepted."""
    async with serving(Provider(settings)) as url:
        ready(url)
        await asyncio.Event().wait()
