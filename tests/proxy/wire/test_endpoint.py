from __future__ import annotations

import pytest

from proxy.wire.dialect import Dialect, EndpointKind, Unparsed
from proxy.wire.endpoint import DIALECTS, dialect_for

CALL, SCOPE, SOCKET, UNKNOWN, OTHER = (
    EndpointKind.MODEL_CALL,
    EndpointKind.OUT_OF_SCOPE,
    EndpointKind.SOCKET,
    EndpointKind.UNKNOWN_DIALECT,
    EndpointKind.OTHER,
)


@pytest.mark.parametrize(
    ("method", "target", "kind", "name"),
    [
        ("POST", "/v1/messages", CALL, "anthropic_messages"),
        ("POST", "/v1/messages?beta=true", CALL, "anthropic_messages"),
        ("POST", "/v1/messages/", CALL, "anthropic_messages"),
        ("POST", "/anthropic/v1/messages", CALL, "anthropic_messages"),
        ("POST", "/a/b/v1/messages?x=/v1/responses", CALL, "anthropic_messages"),
        ("GET", "/v1/messages", OTHER, "anthropic_messages"),
        ("OPTIONS", "/v1/messages", OTHER, "anthropic_messages"),
        ("POST", "/v1/messages/count_tokens?beta=true", SCOPE, "anthropic_messages"),
        ("POST", "/v1/messages/batches", SCOPE, "anthropic_messages"),
        ("GET", "/v1/messages/batches/msgbatch_1/results", SCOPE, "anthropic_messages"),
        ("POST", "/v1/complete", UNKNOWN, "anthropic_complete"),
        ("POST", "/v1/responses", CALL, "openai_responses"),
        ("POST", "/responses", CALL, "openai_responses"),
        ("POST", "/v1/responses/?beta=true", CALL, "openai_responses"),
        ("POST", "/backend-api/codex/responses", CALL, "openai_responses"),
        ("POST", "/responses/compact", CALL, "openai_responses"),
        ("POST", "/backend-api/codex/responses/compact/", CALL, "openai_responses"),
        ("WEBSOCKET", "/v1/responses?beta=true", CALL, "openai_responses"),
        ("GET", "/v1/responses", SOCKET, "openai_responses"),
        ("DELETE", "/v1/responses", OTHER, "openai_responses"),
        ("GET", "/v1/responses/compact", SCOPE, "openai_responses"),
        ("WEBSOCKET", "/v1/responses/compact", SCOPE, "openai_responses"),
        ("GET", "/v1/responses/resp_1", SCOPE, "openai_responses"),
        ("DELETE", "/v1/responses/resp_1", SCOPE, "openai_responses"),
        ("POST", "/v1/responses/resp_1/cancel", SCOPE, "openai_responses"),
        ("GET", "/v1/responses/resp_1/input_items?limit=9", SCOPE, "openai_responses"),
        ("POST", "/v1/responses/input_tokens", SCOPE, "openai_responses"),
        ("POST", "/v1/conversations", SCOPE, "openai_responses"),
        ("GET", "/v1/conversations/conv_1/items/msg_1", SCOPE, "openai_responses"),
        ("POST", "/v1/myresponses", OTHER, ""),
        ("POST", "/v1/chat/completions", CALL, "openai_chat"),
        ("POST", "/chat/completions/", CALL, "openai_chat"),
        ("POST", "/openai/deployments/d/chat/completions?api-version=1", CALL, "openai_chat"),
        ("GET", "/v1/chat/completions", OTHER, "openai_chat"),
        ("GET", "/v1/chat/completions/chatcmpl_1/messages", SCOPE, "openai_chat"),
        ("POST", "/v1/completions", UNKNOWN, "openai_completions"),
        ("POST", "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse", CALL, "gemini"),
        ("POST", "/v1beta/models/gemini-3-pro:generateContent", CALL, "gemini"),
        ("POST", "/v1beta/tunedModels/mine:generateContent", CALL, "gemini"),
        ("POST", "/v1/projects/p/locations/l/publishers/google/models/gemini-3-pro:generateContent", CALL, "gemini"),
        ("POST", "/v1/projects/p/locations/l/endpoints/7:streamGenerateContent", CALL, "gemini"),
        ("POST", "/v1internal:streamGenerateContent?alt=sse", CALL, "gemini"),
        ("GET", "/v1beta/models/gemini-3-pro:generateContent", OTHER, "gemini"),
        ("POST", "/v1beta/models/gemini-3-pro:countTokens", SCOPE, "gemini"),
        ("POST", "/v1beta/models/gemini-3-pro:batchGenerateContent", SCOPE, "gemini"),
        ("POST", "/v1internal:countTokens", SCOPE, "gemini"),
        ("POST", "/v1beta/models/gemini-embedding:embedContent", OTHER, ""),
        ("GET", "/v1beta/models/gemini-3-pro", OTHER, ""),
        ("POST", "/model/eu.anthropic.claude-opus-5-5-v1%3A0/invoke-with-response-stream", UNKNOWN, "bedrock"),
        ("POST", "/model/anthropic.claude-opus-5-5/converse", UNKNOWN, "bedrock"),
        ("POST", "/v1/projects/p/publishers/anthropic/models/claude-opus-5-5:streamRawPredict", UNKNOWN, "vertex"),
        ("POST", "/v1/batches", SCOPE, ""),
        ("HEAD", "/", OTHER, ""),
        ("HEAD", "/api/hello", OTHER, ""),
        ("GET", "/v1/models?limit=1000", OTHER, ""),
        ("POST", "/v1/embeddings", OTHER, ""),
        ("POST", "/v1/messagesX", OTHER, ""),
        ("POST", "/v1/messages_batch", OTHER, ""),
        ("POST", "", OTHER, ""),
    ],
)  # fmt: skip
def test_method_and_path_tell_the_endpoint(method: str, target: str, kind: EndpointKind, name: str) -> None:
    endpoint = dialect_for(method, target)
    assert (endpoint.kind, endpoint.name) == (kind, name)
    assert (endpoint.dialect is not None) == (kind is CALL)


def test_an_unknown_dialect_is_unparsed_and_says_so() -> None:
    endpoint = dialect_for("POST", "/v1/complete")
    assert endpoint.read_request(b"{}", ()) == Unparsed("dialect")
    with pytest.raises(ValueError, match="replies of unknown_dialect are not read"):
        endpoint.open_reply(200, ())


def test_every_dialect_has_a_name_of_its_own() -> None:
    names = [dialect.name for dialect in DIALECTS]
    assert len(names) == len(set(names))
    known: tuple[Dialect, ...] = DIALECTS
    assert all(dialect.secret_paths for dialect in known)
