"""Which dialect an exchange speaks, by method and path alone: a body that cannot be read must not change the answer."""

from __future__ import annotations

import re
from typing import NamedTuple

from proxy.model.exchange import Headers
from proxy.model.messages import Request
from proxy.wire.anthropic_messages.dialect import AnthropicMessages
from proxy.wire.dialect import Dialect, EndpointKind, Unparsed
from proxy.wire.gemini.dialect import Gemini
from proxy.wire.openai_chat.dialect import OpenAIChat
from proxy.wire.openai_responses.dialect import OpenAIResponses
from proxy.wire.reply import ReplyReader

DIALECTS: tuple[Dialect, ...] = (AnthropicMessages(), OpenAIResponses(), OpenAIChat(), Gemini())
"""In order; the first that knows a path takes it."""

_UNREAD = (
    ("bedrock", re.compile(r"/model/[^/]+/(invoke|invoke-with-response-stream|converse|converse-stream)$")),
    ("vertex", re.compile(r"/publishers/[^/]+/models/[^/]+:(raw|streamRaw)Predict$")),
    ("openai_completions", re.compile(r"/v1/completions$")),
    ("anthropic_complete", re.compile(r"/v1/complete$")),
)
"""Model calls that are seen and not read, with the name that `status` says."""

_OUT_OF_SCOPE = re.compile(r"/v1/batches(/|$)|/count-tokens$")


class Endpoint(NamedTuple):
    """What an exchange is for, and who can read it."""

    kind: EndpointKind
    name: str
    """Of the dialect whose path it is, read or not; empty when it is none's."""
    dialect: Dialect | None = None
    """Set for MODEL_CALL only."""
    target: str = ""
    """As asked for."""

    def read_request(self, body: bytes, headers: Headers, former: Request | None = None) -> Request | Unparsed:
        """The request in canonical form, or the reason it is unparsed. Never raises."""
        if self.dialect is None:
            return Unparsed("dialect")
        return self.dialect.read_request(body, headers, former, target=self.target)

    def open_reply(self, status: int, headers: Headers, request: Request | None = None) -> ReplyReader:
        """A reader for the response of a MODEL_CALL to that request.

        Raises:
            ValueError: There is no dialect to read it with.
        """
        if self.dialect is None:
            raise ValueError(f"replies of {self.kind} are not read")
        return ReplyReader(self.dialect.open_reply(status, request), headers)


def dialect_for(method: str, target: str) -> Endpoint:
    """The endpoint of a request by its method and target (path and query, as sent upstream)."""
    path = target.partition("?")[0]
    for dialect in DIALECTS:
        kind = dialect.kind_of(method, path)
        if kind is not None:
            return Endpoint(kind, dialect.name, dialect if kind is EndpointKind.MODEL_CALL else None, target)
    for name, pattern in _UNREAD:
        if method == "POST" and pattern.search(path):
            return Endpoint(EndpointKind.UNKNOWN_DIALECT, name)
    if _OUT_OF_SCOPE.search(path):
        return Endpoint(EndpointKind.OUT_OF_SCOPE, "")
    return Endpoint(EndpointKind.OTHER, "")
