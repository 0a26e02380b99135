from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from config.load import load
from proxy.model.errors import UsageError
from proxy.supervisor.children import Identity
from proxy.supervisor.running import Running
from proxy.supervisor.ways.base_url import Route
from proxy.supervisor.ways.proxied import Certificates, ProxyRoute
from proxy.supervisor.ways.wish import Wish
from proxy.wiring.folder import DataFolder

SETTINGS = load(environment={}).settings
CERTIFICATES = Certificates(Path("/ca.pem"), Path("/bundle.pem"))
BY_BASE_URL = Wish(settings=SETTINGS, folder=DataFolder(Path("/data")), environment={}, certificates=None)
PROXIED = replace(BY_BASE_URL, certificates=CERTIFICATES)


def running(door: str) -> Running:
    found = Identity(1, 1)
    return Running(
        by="serve", since_us=1, supervisor=found, door=door, relay=found, relay_url="u", relay_spec="d",
        observer=None, admin_url="",
    )  # fmt: skip


def test_each_wish_has_a_door_of_its_own_kind() -> None:
    assert (BY_BASE_URL.door, BY_BASE_URL.spec().intercept) == ("relay", "")
    assert (PROXIED.door, PROXIED.spec().intercept) == ("intercept", "regular")
    for wish in (BY_BASE_URL, PROXIED):
        spec = wish.spec()
        assert (spec.host, spec.port, spec.token_file, spec.process) == ("127.0.0.1", 0, "", wish.door)


def test_the_way_leads_through_the_door_that_was_found_with_a_tag_of_its_own() -> None:
    by_base_url, proxied = (wish.way(wish.spec(), "http://127.0.0.1:1") for wish in (BY_BASE_URL, PROXIED))
    assert isinstance(by_base_url, Route)
    assert isinstance(proxied, ProxyRoute)
    assert by_base_url.tag != proxied.tag
    assert proxied.certificates == CERTIFICATES


def test_a_door_of_the_other_kind_is_refused_with_what_to_type() -> None:
    BY_BASE_URL.require(running("relay"))
    PROXIED.require(running("intercept"))
    said = "its live door is an intercept door, not a relay; add --intercept, or give this wrap another --data"
    with pytest.raises(UsageError, match=re.escape(said)):
        BY_BASE_URL.require(running("intercept"))
    with pytest.raises(UsageError, match="is a relay, not an intercept door; leave out --intercept"):
        PROXIED.require(running("relay"))
