"""The supervisor's own listener: /healthz, /readyz, /metrics."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Callable, Mapping

from aiohttp import hdrs, web

from proxy.metrics.exposition import Page
from proxy.model.errors import CannotWriteError

Check = Callable[[], Mapping[str, bool]]


class Admin:
    """One aiohttp application on one address."""

    def __init__(self, *, metrics: Callable[[str], Page], ready: Check, token: str = "") -> None:
        """Takes what it serves.

        Args:
            metrics: The text of a scrape for an Accept header; blocking.
            ready: What must be true to be ready, by name; blocking.
            token: What scrapers must send as bearer token; empty = none is asked for.
        """
        self._metrics = metrics
        self._ready = ready
        self._token = token
        self._runner: web.AppRunner | None = None

    async def start(self, host: str, port: int) -> str:
        """Listen; the address as a URL.

        Raises:
            CannotWriteError: the address cannot be used.
        """
        application = web.Application()
        application.add_routes(
            [
                web.get("/healthz", self._healthz),
                web.get("/readyz", self._readyz),
                web.get("/metrics", self._scrape),
            ]
        )
        self._runner = web.AppRunner(application, access_log=None)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self._runner.cleanup()
            reason = (error.strerror or type(error).__name__).lower()
            raise CannotWriteError(f"{host}:{port}: cannot listen: {reason.rpartition(': ')[2]}") from None
        bound = self._runner.addresses[0]
        return f"http://[{bound[0]}]:{bound[1]}" if ":" in bound[0] else f"http://{bound[0]}:{bound[1]}"

    async def stop(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _healthz(self, _: web.Request) -> web.Response:
        return web.Response(text="ok\n")

    async def _readyz(self, _: web.Request) -> web.Response:
        checks = await asyncio.to_thread(self._ready)
        told = "".join(f"{name}: {'yes' if is_so else 'no'}\n" for name, is_so in checks.items())
        return web.Response(text=told, status=200 if all(checks.values()) else 503)

    async def _scrape(self, request: web.Request) -> web.Response:
        if self._token and not hmac.compare_digest(
            request.headers.get(hdrs.AUTHORIZATION, "").encode(), f"Bearer {self._token}".encode()
        ):
            return web.Response(text="this listener asks for a bearer token\n", status=401)
        page = await asyncio.to_thread(self._metrics, request.headers.get(hdrs.ACCEPT, ""))
        return web.Response(body=page.body, headers={hdrs.CONTENT_TYPE: page.content_type})
