from __future__ import annotations

from importlib.util import find_spec

import pytest

from proxy.intercept import extra


def test_without_the_extra_the_command_to_install_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == "mitmproxy" else find_spec(name))
    with pytest.raises(extra.MissingExtraError, match=r"needs mitmproxy; .*'compaction-gate\[intercept\]'") as caught:
        extra.require_extra()
    assert caught.value.exit_code == 78


def test_with_it_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extra, "find_spec", lambda name: object())
    extra.require_extra()
