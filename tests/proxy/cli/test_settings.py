from __future__ import annotations

from pathlib import Path

import pytest

from proxy.cli.invocation import Invocation
from proxy.cli.settings import read


def test_options_replace_what_the_file_says_and_name_themselves(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text("[relay]\nlisten = '127.0.0.1:1'\n")
    loaded = read(Invocation(data=tmp_path / "d", config=file), relay__listen=("--listen", "127.0.0.1:2"))
    assert str(loaded.settings.relay.listen) == "127.0.0.1:2"
    assert loaded.values["relay.listen"].origin == "command line --listen"
    assert loaded.settings.store.data == tmp_path / "d"


def test_an_option_that_was_not_given_leaves_the_setting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    loaded = read(Invocation(), relay__listen=("--listen", None))
    assert loaded.values["relay.listen"].origin == "default"
