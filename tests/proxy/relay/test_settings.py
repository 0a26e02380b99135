from __future__ import annotations

import pytest

from proxy.relay.settings import Egress, ForwardProxy, Upstream


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "base_path", "authority"),
    [
        ("https://api.anthropic.com", "api.anthropic.com", 443, True, b"", b"api.anthropic.com"),
        ("https://api.anthropic.com:443/", "api.anthropic.com", 443, True, b"", b"api.anthropic.com"),
        ("http://127.0.0.1:9000/a/b/", "127.0.0.1", 9000, False, b"/a/b", b"127.0.0.1:9000"),
        ("http://[::1]:80", "::1", 80, False, b"", b"[::1]"),
    ],
)
def test_an_upstream_is_read_from_its_address(
    url: str, host: str, port: int, tls: bool, base_path: bytes, authority: bytes
) -> None:
    upstream = Upstream.from_url("a", url)
    found = (upstream.host, upstream.port, upstream.tls, upstream.base_path, upstream.authority)
    assert found == (host, port, tls, base_path, authority)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://a",
        "api.anthropic.com",
        "https://",
        "https://a:port",
        "http://a/b c",
        "http://\u00e4.de",
        "http://a/b\x7f",
    ],
)
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        Upstream.from_url("a", url)


def test_the_way_out_is_read_from_the_environment_lower_case_first() -> None:
    environ = {"HTTPS_PROXY": "http://no:1", "https_proxy": "http://u:p%40@squid:3128", "NO_PROXY": "Corp, 10.0.0.0/8"}
    egress = Egress.from_environment(environ)
    assert egress.proxy == ForwardProxy("squid", 3128, b"Basic dTpwQA==")
    assert egress.exceptions == ("corp", "10.0.0.0/8")
    assert Egress.from_environment({}).proxy_for("a", 443) is None


@pytest.mark.parametrize(
    ("exceptions", "host", "direct"),
    [
        ("", "api.anthropic.com", False),
        ("*", "api.anthropic.com", True),
        ("anthropic.com", "api.anthropic.com", True),
        (".anthropic.com", "API.anthropic.com", True),
        ("*.anthropic.com", "api.anthropic.com", True),
        ("thropic.com", "anthropic.com", False),
        ("api.anthropic.com:443", "api.anthropic.com", True),
        ("api.anthropic.com:8443", "api.anthropic.com", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("10.0.0.0/8", "11.1.2.3", False),
        ("[::1]:443", "::1", True),
    ],
)
def test_exceptions_are_hosts_domains_addresses_or_networks(exceptions: str, host: str, direct: bool) -> None:
    egress = Egress.through("squid:3128", exceptions)
    assert (egress.proxy_for(host, 443) is None) is direct


def test_an_egress_proxy_that_is_not_understood_is_refused_without_repeating_it() -> None:
    with pytest.raises(ValueError, match="expected http://host:port") as refused:
        Egress.through("https://user:canary@squid")
    assert "canary" not in str(refused.value)
