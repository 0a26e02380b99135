"""The aiohttp door of a scripted provider."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from proxy.scripted.doors.calls import PROVIDER, add_calls
from proxy.scripted.doors.small import add_small
from proxy.scripted.doors.sockets import add_sockets
from proxy.scripted.provider import Provider
from proxy.scripted.settings import ProviderSettings

MAX_BODY_BYTES = 256 * 1024 * 1024


def application(provider: Provider) -> web.Application:
    """Routes of all dialects; anything else is a 404 in Anthropic's words."""
    app = web.Application(client_max_size=MAX_BODY_BYTES)
    app[PROVIDER] = provider
    add_calls(app.router)
    add_sockets(app)
    add_small(app.router)
    return app


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
