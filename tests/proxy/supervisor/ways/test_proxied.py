from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from proxy.supervisor.ways.proxied import Certificates, ProxyRoute

ROUTE = ProxyRoute(
    door_url="http://127.0.0.1:1",
    tag="s3cret",
    upstreams={"anthropic": "https://api.anthropic.com", "corp": "https://gate.corp:8443/x"},
    certificates=Certificates(Path("/ca.pem"), Path("/bundle.pem")),
)


def test_the_child_is_told_a_proxy_with_the_runs_secret_and_what_to_trust() -> None:
    given = ROUTE.variables({})
    proxies = {given[name] for name in ("HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy")}
    assert proxies == {"http://run:s3cret@127.0.0.1:1"}
    assert given["NODE_EXTRA_CA_CERTS"] == "/ca.pem"
    assert {given[name] for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CODEX_CA_CERTIFICATE")} == {"/bundle.pem"}
    assert given["NO_PROXY"] == given["no_proxy"] == "127.0.0.1,localhost,::1"
    assert not any("BASE_URL" in name for name in given)


def test_certificates_that_the_user_adds_stay_trusted() -> None:
    assert ROUTE.variables({"NODE_EXTRA_CA_CERTS": "/corp.pem"})["NODE_EXTRA_CA_CERTS"] == "/bundle.pem"


def test_exceptions_of_the_user_stay_and_an_upstream_on_this_machine_is_none() -> None:
    assert ROUTE.variables({"NO_PROXY": "corp, ::1"})["NO_PROXY"] == "corp,::1,127.0.0.1,localhost"
    for url in ("http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080"):
        assert replace(ROUTE, upstreams={"a": url}).variables({"no_proxy": "corp"})["NO_PROXY"] == "corp"


def test_the_notes_say_what_is_opened_and_what_the_users_exceptions_hide_and_never_the_secret() -> None:
    notes = "\n".join(ROUTE.notes({"NO_PROXY": "api.anthropic.com"}, "claude"))
    assert "opened and recorded: api.anthropic.com, gate.corp:8443 · everything else is tunnelled unread" in notes
    assert "your NO_PROXY names api.anthropic.com: what goes there is not seen" in notes
    assert "s3cret" not in notes
    assert "NO_PROXY names" not in "\n".join(ROUTE.notes({}, "claude"))
