from __future__ import annotations

from typing import Any

import aiohttp
import pytest

from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.settings import ProviderSettings


async def fetched(method: str, path: str, **fields: Any) -> tuple[int, Any]:
    provider = Provider(ProviderSettings(answered_model="m-1", deterministic=True))
    async with (
        serving(provider) as url,
        aiohttp.ClientSession() as client,
        client.request(method, url + path, **fields) as answer,
    ):
        return answer.status, await answer.json() if answer.content_type == "application/json" else None


@pytest.mark.parametrize("path", ["/v1/models", "/models"])
async def test_one_list_of_models_serves_anthropic_openai_and_codex(path: str) -> None:
    _, told = await fetched("GET", path)
    assert (told["object"], told["has_more"], told["models"]) == ("list", False, [])
    assert {"type": "model", "object": "model", "id": "m-1"}.items() <= told["data"][0].items()


async def test_a_model_can_be_asked_for_by_its_name() -> None:
    assert (await fetched("GET", "/v1/models/x"))[1]["id"] == "x"
    assert (await fetched("GET", "/v1beta/models/x"))[1]["name"] == "models/x"
    assert (await fetched("GET", "/v1beta/models"))[1]["models"][0]["name"] == "models/m-1"


@pytest.mark.parametrize(("method", "path"), [("HEAD", "/"), ("HEAD", "/api/hello"), ("GET", "/api/hello")])
async def test_somebody_is_there(method: str, path: str) -> None:
    assert await fetched(method, path) == (200, None)


async def test_what_is_not_scripted_says_so() -> None:
    status, told = await fetched("POST", "/v1/nothing")
    assert (status, told["error"]["message"]) == (404, "/v1/nothing is not scripted")


async def test_a_conversation_begins_empty_or_with_items() -> None:
    status, told = await fetched("POST", "/v1/conversations", json={"metadata": {"a": "b"}})
    assert (status, told["object"], told["metadata"]) == (200, "conversation", {"a": "b"})
    assert (await fetched("POST", "/v1/conversations"))[1]["id"] == told["id"]
    wrong = {"items": [{"type": "item_reference", "id": "msg_0"}]}
    assert (await fetched("POST", "/v1/conversations", json=wrong))[0] == 404


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_response_that_is_not_stored_is_not_found(method: str) -> None:
    status, told = await fetched(method, "/v1/responses/resp_0")
    assert (status, told["error"]["type"]) == (404, "invalid_request_error")
