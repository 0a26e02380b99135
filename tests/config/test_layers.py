from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import SettingsError
from config.keys import KEYS, is_known, key_of_variable, variable
from config.layers import defaults_text, from_command_line, from_defaults, from_file


def test_the_shipped_file_sets_every_known_key_once_and_nothing_else() -> None:
    upstreams = [f"upstreams.{name}.url" for name in ("anthropic", "chatgpt", "gemini", "openai")]
    assert sorted(from_defaults()) == sorted([*KEYS, *upstreams])


def test_every_line_of_the_shipped_file_fits_a_terminal() -> None:
    assert max(map(len, defaults_text().splitlines())) <= 120


def test_every_key_has_a_variable_that_leads_back_to_it() -> None:
    for key in KEYS:
        assert key_of_variable(variable(key)) == key
    assert key_of_variable("COMPACTION_GATE_UPSTREAMS_CORP_URL") == "upstreams.corp.url"
    assert is_known("upstreams.corp.url")
    assert not is_known("upstreams.corp.uri")


def test_the_command_line_names_its_option_as_the_origin() -> None:
    assert from_command_line({"store.data": ("--data", "/d")})["store.data"] == ("/d", "command line --data")


def test_a_table_may_be_empty_when_there_is_such_a_table(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text("[labels]\n[relay]\n[export.otlp]\n")
    assert from_file(file) == {}
    file.write_text("[rely]\n")
    with pytest.raises(SettingsError, match=r"rely = \{\}"):
        from_file(file)
