"""Ids that the command line and the observer must agree on."""

from __future__ import annotations

import pytest

from proxy.model.ids import session_id
from proxy.model.messages import Request
from proxy.sessions.identity import identify
from proxy.sessions.normalise import units
from proxy.wire.anthropic_messages.request import read_request
from tests.support.journey import Client, Driver, text


@pytest.mark.parametrize("key", ["nightly-42", "n\xc3\xa4chtlich"])
def test_a_session_is_named_as_the_observer_names_it(key: str) -> None:
    client = Client(Driver())
    client.headers = {"x-compaction-session": key}
    exchange = client.exchange([text("done")])
    request = read_request(exchange.request_body, ())
    assert isinstance(request, Request)
    found = identify(exchange, request, units(request.messages), lambda signs: {})
    assert found is not None
    assert found.session == session_id(exchange.tag, key)
