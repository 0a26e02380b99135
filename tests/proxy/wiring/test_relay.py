from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from config.load import load
from proxy.model.errors import InputError
from proxy.wiring.relay import relay_settings
from proxy.wiring.settings import relay_spec

SPEC = relay_spec(load(environment={}).settings)


def test_a_relay_is_told_digests_and_never_the_token(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("canary-canary-canary\n")
    told = relay_settings(replace(SPEC, token_file=str(token), data=str(tmp_path)))
    assert told.token_sha256 == sha256(b"canary-canary-canary").hexdigest()
    assert "canary-canary" not in repr(told)
    assert told.run_tags == tmp_path / "run_tags"
    assert told.upstreams["anthropic"].host == "api.anthropic.com"


def test_the_way_out_is_the_environments_none_or_the_one_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://squid:1")
    assert relay_settings(SPEC).egress.proxy_for("h", 443) is not None
    assert relay_settings(replace(SPEC, egress_proxy="none")).egress.proxy_for("h", 443) is None
    named = relay_settings(replace(SPEC, egress_proxy="http://other:2")).egress.proxy_for("h", 443)
    assert named is not None
    assert named.host == "other"


def test_a_proxy_variable_that_is_no_address_is_named_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "socks5://canary@h")
    with pytest.raises(InputError, match="HTTPS_PROXY") as caught:
        relay_settings(SPEC)
    assert "canary" not in str(caught.value)
