"""The small endpoints that real clients ask for: models, stored responses, conversations, whether anybody is there."""

from __future__ import annotations

from aiohttp import web

from proxy.scripted.cache import encode
from proxy.scripted.doors.calls import MODEL, OPENAI_PREFIXES, PROVIDER
from proxy.scripted.faces.face import BadCallError, Failure, objects
from proxy.scripted.faces.messages.face import error
from proxy.scripted.faces.openai import error_of
from proxy.scripted.faces.responses.reading import items_in

CONTEXT_TOKENS = 1_000_000


def add_small(router: web.UrlDispatcher) -> None:
    """Routes that answer without a model."""
    router.add_get("/v1/models", _models)
    router.add_get("/models", _models)
    router.add_get("/v1/models/{name}", _model)
    router.add_get("/v1beta/models", _gemini_models)
    router.add_get(MODEL, _gemini_model)
    for prefix in OPENAI_PREFIXES:
        router.add_get(f"{prefix}/responses/{{response_id}}", _stored)
        router.add_delete(f"{prefix}/responses/{{response_id}}", _forgotten)
        router.add_post(f"{prefix}/conversations", _conversation)
    router.add_route("*", "/{anything:.*}", _other)


def _name(request: web.Request) -> str:
    return request.app[PROVIDER].settings.answered_model or "scripted"


def _json(value: object, status: int = 200) -> web.Response:
    return web.Response(status=status, body=encode(value), content_type="application/json")


def _described(name: str) -> dict[str, object]:
    """A model in the words of Anthropic and of OpenAI, which share the address."""
    anthropic = {"type": "model", "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
    return {"id": name, **anthropic, "object": "model", "created": 1_767_225_600, "owned_by": "scripted"}


async def _models(request: web.Request) -> web.Response:
    name = _name(request)
    # Codex looks for `models`, and takes an empty list for no news.
    bounds = {"has_more": False, "first_id": name, "last_id": name}
    return _json({"object": "list", "data": [_described(name)], **bounds, "models": []})


async def _model(request: web.Request) -> web.Response:
    return _json(_described(request.match_info["name"]))


async def _gemini_models(request: web.Request) -> web.Response:
    return _json({"models": [_gemini_described(_name(request))]})


async def _gemini_model(request: web.Request) -> web.Response:
    return _json(_gemini_described(request.match_info["model"]))


def _gemini_described(name: str) -> dict[str, object]:
    methods = ["generateContent", "countTokens"]
    limits = {"inputTokenLimit": CONTEXT_TOKENS, "outputTokenLimit": 65_536}
    return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": methods, **limits}


async def _stored(request: web.Request) -> web.Response:
    found = request.app[PROVIDER].memory.document(request.match_info["response_id"])
    return _not_stored(request) if found is None else _json(found)


async def _forgotten(request: web.Request) -> web.Response:
    name = request.match_info["response_id"]
    if not request.app[PROVIDER].memory.forget(name):
        return _not_stored(request)
    return _json({"id": name, "object": "response.deleted", "deleted": True})


def _not_stored(request: web.Request) -> web.Response:
    text = f"Response with id '{request.match_info['response_id']}' not found."
    return _json({"error": error_of(Failure(404, text))}, status=404)


async def _conversation(request: web.Request) -> web.Response:
    provider = request.app[PROVIDER]
    given = await request.json() if request.can_read_body else {}
    conversation = provider.new_id("conv_")
    try:
        items = items_in({"input": objects(given.get("items"))}, provider.memory)
    except BadCallError as refused:
        return _json({"error": error_of(refused.failure)}, status=refused.failure.status)
    provider.memory.open_conversation(conversation, items)
    created = provider.clock.now_us() // 1_000_000
    metadata = given.get("metadata") or {}
    return _json({"id": conversation, "object": "conversation", "created_at": created, "metadata": metadata})


async def _other(request: web.Request) -> web.Response:
    """Clients look with HEAD whether anybody is there; Claude Code asks `/api/hello`."""
    if request.method == "HEAD" or request.path == "/api/hello":
        return web.Response()
    return _json(error("not_found_error", f"{request.path} is not scripted", "req_none"), status=404)
