from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from proxy.relay.addressing import AddressError, Router, RunTags
from proxy.relay.redaction import REDACTED
from proxy.relay.refusals import Kind
from proxy.relay.settings import Upstream

TAG = b"run-7_secretsecret"
DIGEST = hashlib.sha256(TAG).hexdigest()
UPSTREAMS = {
    "anthropic": Upstream.from_url("anthropic", "https://api.anthropic.com"),
    "corp": Upstream.from_url("corp", "https://litellm.corp:8443/anthropic/"),
}


@pytest.fixture
def router(tmp_path: Path) -> Router:
    registry = tmp_path / "runs"
    registry.write_text(f"{DIGEST}\n")
    return Router(UPSTREAMS, "anthropic", RunTags(registry))


@pytest.mark.parametrize(
    ("target", "upstream", "sent"),
    [
        (b"/v1/messages?beta=true", "anthropic", b"/v1/messages?beta=true"),
        (b"/", "anthropic", b"/"),
        (b"//v1/../x%2f", "anthropic", b"//v1/../x%2f"),
        (b"/anthropic/v1/messages", "anthropic", b"/v1/messages"),
        (b"/corp/v1/messages?a=%2F..//", "corp", b"/anthropic/v1/messages?a=%2F..//"),
        (b"/corp", "corp", b"/anthropic/"),
        (b"/corp/", "corp", b"/anthropic/"),
        (b"/corp?a=b", "corp", b"/anthropic/?a=b"),
        (b"/corporate/x", "anthropic", b"/corporate/x"),
        (b"/Corp/x", "anthropic", b"/Corp/x"),
        (b"/c%6frp/x", "anthropic", b"/c%6frp/x"),
        (b"/x/corp/y", "anthropic", b"/x/corp/y"),
        (b"/run", "anthropic", b"/run"),
        (b"/running/x", "anthropic", b"/running/x"),
        (b"/corp/v1/.hidden/a..b/...", "corp", b"/anthropic/v1/.hidden/a..b/..."),
    ],
)
def test_a_prefix_is_taken_off_and_all_else_stays(router: Router, target: bytes, upstream: str, sent: bytes) -> None:
    route = router.route(target)
    assert (route.address.upstream.name, route.address.target, route.tag) == (upstream, sent, "")


@pytest.mark.parametrize(
    ("rest", "upstream", "sent"),
    [
        (b"/v1/messages", "anthropic", b"/v1/messages"),
        (b"/corp/v1?x", "corp", b"/anthropic/v1?x"),
        (b"", "anthropic", b"/"),
        (b"?x", "anthropic", b"/?x"),
    ],
)
def test_a_run_comes_first_and_only_its_digest_is_kept(router: Router, rest: bytes, upstream: str, sent: bytes) -> None:
    route = router.route(b"/run/" + TAG + rest)
    assert (route.address.upstream.name, route.address.target, route.tag) == (upstream, sent, DIGEST[:32])
    assert TAG.decode() not in repr(route)


@pytest.mark.parametrize(
    "target",
    [
        b"/corp//v1", b"/corp/../x", b"/corp/..", b"/corp/.", b"/corp/./x", b"/corp/v1/../../x", b"/corp/%2e%2e/x",
        b"/corp/.%2E/x", b"/corp/..;/x", b"/corp/%2fx", b"/corp%2fx", b"/corp%5cx", b"/corp/a%2Fb", b"/corp/a%5Cb",
        b"/corp/a\\b", b"/corp/v1//x", b"/run%2f" + TAG + b"/x", b"/run//x", b"/run/../x", b"/run/" + TAG + b"//x",
        b"/run/" + TAG + b"/../x", b"/run/" + TAG + b"/%2e%2e/x", b"/run/" + TAG + b"/a%2fb", b"/run/%2f/x",
    ],
)  # fmt: skip
def test_what_a_server_could_read_as_another_path_is_refused_behind_a_prefix(router: Router, target: bytes) -> None:
    with pytest.raises(AddressError) as refused:
        router.route(target)
    assert refused.value.kind is Kind.BAD_PATH


@pytest.mark.parametrize("tag", [b"unknown-run", TAG[:-1], TAG + b"x", DIGEST.encode(), b"a.b", b"", b"x" * 129])
def test_a_run_nobody_issued_is_unknown(router: Router, tag: bytes) -> None:
    with pytest.raises(AddressError) as refused:
        router.route(b"/run/" + tag + (b"/v1" if tag else b""))
    assert refused.value.kind is Kind.UNKNOWN_RUN


def test_without_a_default_what_names_no_upstream_leads_nowhere() -> None:
    router = Router(UPSTREAMS, "", RunTags(None))
    assert router.route(b"/corp/x").address.upstream.name == "corp"
    with pytest.raises(AddressError) as refused:
        router.route(b"/v1/messages")
    assert refused.value.kind is Kind.NO_UPSTREAM


def test_the_host_of_the_upstream_is_what_is_said_to_it(router: Router) -> None:
    assert router.route(b"/corp/x").address.authority == b"litellm.corp:8443"
    assert router.route(b"/x").address.authority == b"api.anthropic.com"


def test_what_is_shown_of_a_target_holds_no_secret_of_its_query(router: Router) -> None:
    address = router.route(b"/v1/models?key=canary&page=2").address
    assert address.target == b"/v1/models?key=canary&page=2"
    assert address.shown == f"/v1/models?key={REDACTED}&page=2"


def test_the_registry_is_read_again_when_it_changes(tmp_path: Path) -> None:
    registry = tmp_path / "runs"
    tags = RunTags(registry)
    assert tags.digest_of(TAG) is None
    registry.write_text(f"{'0' * 64}\n{DIGEST[:32].upper()}\n")
    assert tags.digest_of(TAG) == DIGEST[:32]
    replacement = tmp_path / "new"
    replacement.write_text("")
    replacement.replace(registry)
    assert tags.digest_of(TAG) is None
    registry.write_bytes(b"\xff")
    assert tags.digest_of(TAG) is None
