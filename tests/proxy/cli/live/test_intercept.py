from __future__ import annotations

import ssl
from importlib.util import find_spec
from pathlib import Path

import pytest

from config.load import load
from proxy.cli.live.intercept import banner, require_mode
from proxy.intercept import extra
from proxy.model.errors import UsageError
from proxy.supervisor.service import Serving
from tests.support.typed import type_command

SETTINGS = load(environment={"COMPACTION_GATE_UPSTREAMS_ANTHROPIC_URL": "https://gate.corp/anthropic"}).settings
SERVING = Serving("http://127.0.0.1:8766", "http://127.0.0.1:8767", Path("/data"))


def test_a_mode_is_a_proxy_or_stands_before_a_known_upstream() -> None:
    for mode in ("regular", "reverse:anthropic"):
        require_mode(mode, SETTINGS)
    for mode in ("reverse", "reverse:", "reverse:unknown", "transparent", "anthropic"):
        with pytest.raises(UsageError, match=rf"--mode {mode}: expected regular, or one of .*reverse:anthropic"):
            require_mode(mode, SETTINGS)


def test_the_banner_says_how_clients_come_and_what_is_opened() -> None:
    as_proxy = "\n".join(banner(SERVING, SETTINGS, "regular"))
    assert "door    http://127.0.0.1:8766     HTTPS_PROXY of any client" in as_proxy
    assert "https://gate.corp/anthropic" in as_proxy
    before = "\n".join(banner(SERVING, SETTINGS, "reverse:anthropic"))
    assert "stands before https://gate.corp/anthropic" in before
    assert "HTTPS_PROXY" not in before


def test_port_and_address_exclude_each_other() -> None:
    typed = type_command("intercept", "--port", "1", "--listen", "127.0.0.1:2")
    assert typed.code == 64
    assert "--port and --listen: say one of them" in typed.err


@pytest.mark.skipif(find_spec("mitmproxy") is None, reason="the extra `intercept` is not installed")
def test_the_authority_is_shown_with_what_clients_are_told(tmp_path: Path) -> None:
    path = type_command("--data", str(tmp_path), "intercept", "ca", "path").out.strip()
    assert ssl.create_default_context(cafile=path).get_ca_certs()
    shown = type_command("--data", str(tmp_path), "intercept", "ca", "show").out
    assert f"export NODE_EXTRA_CA_CERTS={path}" in shown
    for name in ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CODEX_CA_CERTIFICATE"):
        assert f"export {name}={Path(path).with_name('bundle.pem')}" in shown


def test_without_the_extra_a_command_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda _: None)
    for command in (("intercept",), ("intercept", "ca", "show"), ("wrap", "--intercept", "--", "true")):
        typed = type_command("--data", str(tmp_path), *command)
        assert typed.code == 78
        assert "pip install 'compaction-gate[intercept]'" in typed.err
