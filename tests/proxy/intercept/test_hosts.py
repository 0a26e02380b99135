from __future__ import annotations

import re

import pytest

from proxy.intercept.hosts import Hosts
from proxy.relay.settings import Upstream

HOSTS = Hosts(
    [
        Upstream.from_url("anthropic", "https://api.anthropic.com"),
        Upstream.from_url("chatgpt", "https://chatgpt.com/backend-api/codex"),
        Upstream.from_url("gateway", "https://gate.corp:8443"),
        Upstream.from_url("deeper", "https://gate.corp:8443/team"),
        Upstream.from_url("plain", "http://127.0.0.1:8080"),
    ]
)


@pytest.mark.parametrize(
    ("host", "port", "tls", "target", "name"),
    [
        ("api.anthropic.com", 443, True, b"/v1/messages", "anthropic"),
        ("API.Anthropic.com", 443, True, b"/", "anthropic"),
        ("api.anthropic.com", 80, False, b"/", None),
        ("api.anthropic.com", 8443, True, b"/", None),
        ("api.anthropic.com.evil.test", 443, True, b"/", None),
        ("chatgpt.com", 443, True, b"/backend-api/codex/responses", "chatgpt"),
        ("chatgpt.com", 443, True, b"/backend-api/codex?x", "chatgpt"),
        ("chatgpt.com", 443, True, b"/backend-api/codexes", None),
        ("chatgpt.com", 443, True, b"/c/private", None),
        ("gate.corp", 8443, True, b"/team/v1", "deeper"),
        ("gate.corp", 8443, True, b"/v1", "gateway"),
        ("127.0.0.1", 8080, False, b"/v1", "plain"),
    ],
)
def test_a_request_is_of_the_upstream_it_would_have_reached(
    host: str, port: int, tls: bool, target: bytes, name: str | None
) -> None:
    found = HOSTS.upstream_of(host, port, tls=tls, target=target)
    assert (found.name if found else None) == name


@pytest.mark.parametrize(
    ("place", "is_opened"),
    [
        ("api.anthropic.com:443", True),
        ("127.0.0.1:8080", True),
        ("api-anthropic-com:443", False),
        ("evil.api.anthropic.com:443", False),
        ("api.anthropic.com:4430", False),
        ("api.anthropic.com:443.evil.test:443", False),
    ],
)
def test_only_the_places_of_upstreams_are_opened(place: str, is_opened: bool) -> None:
    assert any(re.search(pattern, place) for pattern in HOSTS.patterns()) == is_opened


def test_without_an_upstream_nothing_is_opened() -> None:
    assert not any(re.search(pattern, "api.anthropic.com:443") for pattern in Hosts([]).patterns())
