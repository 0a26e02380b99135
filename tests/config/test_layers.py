from __future__ import annotations

from config.keys import KEYS, is_known, key_of_variable, variable
from config.layers import defaults_text, from_command_line, from_defaults


def test_the_shipped_file_sets_every_known_key_once_and_nothing_else() -> None:
    assert sorted(from_defaults()) == sorted([*KEYS, "upstreams.anthropic.url"])


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
