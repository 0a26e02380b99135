from __future__ import annotations

from config.errors import Problem, SettingsError, shown


def test_what_was_meant_as_a_secret_is_never_shown() -> None:
    assert shown("relay.token", "canary") == "(not shown)"
    assert shown("upstreams.a.url", "https://u:canary@h") == '"https://***@h"'
    assert shown("relay.token_file", "/run/token") == '"/run/token"'


def test_the_message_has_one_line_for_each_problem() -> None:
    error = SettingsError([Problem("a", 1, "default", "x"), Problem("b", 2, "default", "y")])
    assert str(error) == "settings: a = 1 (from default): x\nsettings: b = 2 (from default): y"
