from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import pytest

from proxy.metrics.exposition import Page
from proxy.model.errors import CannotWriteError
from proxy.supervisor.admin import Admin

CHECKS = {"relay": True, "journal": True}


@asynccontextmanager
async def listening(checks: dict[str, bool] | None = None, token: str = "") -> AsyncIterator[str]:
    admin = Admin(metrics=lambda accept: Page(b"text", f"seen {accept}"), ready=lambda: checks or CHECKS, token=token)
    url = await admin.start("127.0.0.1", 0)
    try:
        yield url
    finally:
        await admin.stop()


async def get(url: str, **headers: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(url, headers=headers) as response:
        return response.status, await response.text()


async def test_it_is_healthy_while_it_answers_and_ready_while_every_check_holds() -> None:
    async with listening() as url:
        assert await get(f"{url}/healthz") == (200, "ok\n")
        assert await get(f"{url}/readyz") == (200, "relay: yes\njournal: yes\n")
    async with listening({"relay": True, "journal": False}) as url:
        assert await get(f"{url}/readyz") == (503, "relay: yes\njournal: no\n")


async def test_metrics_come_in_the_form_the_scraper_accepts() -> None:
    async with (
        listening() as url,
        aiohttp.ClientSession() as session,
        session.get(f"{url}/metrics", headers={"accept": "text/plain"}) as response,
    ):
        assert (await response.read(), response.headers["content-type"]) == (b"text", "seen text/plain")


async def test_a_token_is_asked_for_where_one_is_set() -> None:
    async with listening(token="s" * 16) as url:
        assert (await get(f"{url}/metrics"))[0] == 401
        assert (await get(f"{url}/metrics", authorization="Bearer wrong"))[0] == 401
        assert (await get(f"{url}/metrics", authorization=f"Bearer {'s' * 16}"))[0] == 200
        assert (await get(f"{url}/healthz"))[0] == 200


async def test_nothing_else_is_there() -> None:
    async with listening() as url:
        assert (await get(f"{url}/"))[0] == 404


async def test_an_address_in_use_is_refused_by_name() -> None:
    async with listening() as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(CannotWriteError, match=f"127.0.0.1:{port}: cannot listen: address already in use"):
            await Admin(metrics=lambda _: Page(b"", ""), ready=lambda: CHECKS).start("127.0.0.1", port)
