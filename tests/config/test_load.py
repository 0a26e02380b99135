from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import SettingsError
from config.load import load, user_file


def refusal(tmp_path: Path, *, text: str = "", environment: dict[str, str] | None = None) -> str:
    file = tmp_path / "gate.toml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load(file, environment=environment or {})
    assert caught.value.exit_code == 78
    return str(caught.value).replace(str(tmp_path), "DIR")


def test_without_any_input_the_shipped_defaults_hold(tmp_path: Path) -> None:
    loaded = load(environment={"XDG_CONFIG_HOME": str(tmp_path)})
    assert str(loaded.settings.relay.listen) == "127.0.0.1:8765"
    assert loaded.settings.upstreams["anthropic"].url == "https://api.anthropic.com"
    assert loaded.settings.relay.token_file is None
    assert loaded.file is None
    assert {value.origin for value in loaded.values.values()} == {"default"}


def test_each_layer_replaces_single_values_of_the_one_below_and_keeps_its_origin(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text('[relay]\ndrain_s = 5\nconnect_timeout_s = 6\n[upstreams.corp]\nurl = "https://gate.corp/x/"\n')
    loaded = load(
        file,
        environment={
            "COMPACTION_GATE_RELAY_CONNECT_TIMEOUT_S": "7",
            "COMPACTION_GATE_STORE_DATA": "/env",
            "HOME": "/x",
        },
        options={"store.data": ("--data", "/cli")},
    )
    assert (loaded.settings.relay.drain_s, loaded.settings.relay.connect_timeout_s) == (5, 7)
    assert loaded.settings.store.data == Path("/cli")
    assert sorted(loaded.settings.upstreams) == ["anthropic", "chatgpt", "corp", "gemini", "openai"]
    assert loaded.settings.upstreams["corp"].url == "https://gate.corp/x"
    origins = {key: value.origin for key, value in loaded.values.items()}
    assert origins["relay.drain_s"] == str(file)
    assert origins["relay.connect_timeout_s"] == "environment COMPACTION_GATE_RELAY_CONNECT_TIMEOUT_S"
    assert origins["store.data"] == "command line --data"
    assert origins["relay.listen"] == "default"


def test_the_file_is_the_named_one_then_the_variable_then_the_users_own(tmp_path: Path) -> None:
    own = user_file({"XDG_CONFIG_HOME": str(tmp_path)})
    own.parent.mkdir()
    own.write_text('environment = "own"')
    variable, named = tmp_path / "variable.toml", tmp_path / "named.toml"
    variable.write_text('environment = "variable"')
    named.write_text('environment = "named"')
    env = {"XDG_CONFIG_HOME": str(tmp_path)}
    assert load(environment=env).settings.environment == "own"
    env["COMPACTION_GATE_CONFIG"] = str(variable)
    assert load(environment=env).settings.environment == "variable"
    assert load(named, environment=env).settings.environment == "named"


def test_a_file_in_the_current_folder_is_never_read_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "compaction-gate.toml").write_text('[upstreams.anthropic]\nurl = "https://thief.example"')
    monkeypatch.chdir(tmp_path)
    loaded = load(environment={"XDG_CONFIG_HOME": str(tmp_path / "none")})
    assert loaded.settings.upstreams["anthropic"].url == "https://api.anthropic.com"


def test_relative_paths_in_a_file_start_at_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "gate.toml"
    file.write_text('[tools]\nfiles = ["mine.yaml", "/abs.yaml"]\n[relay]\ntoken_file = "t"\n[store]\ndata = "~/d"\n')
    settings = load(file, environment={}).settings
    assert settings.tools.files == (tmp_path / "mine.yaml", Path("/abs.yaml"))
    assert settings.relay.token_file == tmp_path / "t"
    assert settings.store.data == Path("~/d").expanduser()


def test_lists_come_from_the_environment_as_in_the_file_or_as_one_entry(tmp_path: Path) -> None:
    def redact(text: str) -> tuple[str, ...]:
        return load(environment={"COMPACTION_GATE_CAPTURE_REDACT": text}).settings.capture.redact

    assert redact('["a,b", "c"]') == ("a,b", "c")
    assert redact("a,b") == ("a,b",)
    assert redact("") == ()


@pytest.mark.parametrize(
    ("text", "shown", "wrong"),
    [
        ("[relay]\ndrian_s = 5", "relay.drian_s = 5", "unknown key; nearest known key: relay.drain_s"),
        ("[proxy]\nlisten = 1", "proxy.listen = 1", "unknown key; nearest known key: relay.listen"),
        ('[relay]\ntoken = "canary"', "relay.token = (not shown)", "unknown key; nearest known key: relay.token_file"),
        ("relay = 5", "relay = 5", "unknown key; nearest known key: relay.listen"),
        (
            '[relay]\ndrain_s = "soon"',
            'relay.drain_s = "soon"',
            "expected a valid number, unable to parse string as a number",
        ),
        ('[capture]\ncontents = "all"', 'capture.contents = "all"', "expected 'off', 'hashes' or 'full'"),
        ('[relay]\nlisten = "8765"', 'relay.listen = "8765"', 'expected "host:port", for example "127.0.0.1:8765"'),
        (
            '[relay]\nlisten = "0.0.0.0:1"',
            'relay.listen = "0.0.0.0:1"',
            "0.0.0.0:1 can be reached from other machines: set relay.token_file",
        ),
        (
            '[relay]\ndefault_upstream = "x"',
            'relay.default_upstream = "x"',
            "no upstream has this name; configured: anthropic, chatgpt, gemini, openai",
        ),
        (
            '[upstreams.run]\nurl = "https://h"',
            'upstreams.run.url = "https://h"',
            "/run/ begins the address of a run; choose another name",
        ),
        (
            '[upstreams.a]\nurl = "https://u:canary@h"',
            'upstreams.a.url = "https://***@h"',
            "a user or password may not stand in an address: settings are shown and logged",
        ),
        (
            '[upstreams.a]\nurl = "ftp://h"',
            'upstreams.a.url = "ftp://h"',
            'expected "http://host" or "https://host", with or without a path',
        ),
        (
            '[capture]\nredact = ["("]',
            'capture.redact = ["("]',
            "not a regular expression: missing ), unterminated subpattern at position 0",
        ),
        (
            '[egress]\nproxy = "socks5://h:1"',
            'egress.proxy = "socks5://h:1"',
            'expected "env", "none" or "http://host:port"',
        ),
        (
            '[store]\nurl = "postgresql://u:canary@h/d"',
            'store.url = "postgresql://***@h/d"',
            "a password may not stand here: PostgreSQL reads it from PGPASSFILE",
        ),
        (
            '[store]\nurl = "mysql://h/d"',
            'store.url = "mysql://h/d"',
            'expected "sqlite:///FILE" or "postgresql://HOST/NAME"',
        ),
    ],
)
def test_a_value_that_cannot_be_used_is_refused_with_key_value_origin_and_what_was_expected(
    tmp_path: Path, text: str, shown: str, wrong: str
) -> None:
    assert refusal(tmp_path, text=text) == f"settings: {shown} (from DIR/gate.toml): {wrong}"


def test_a_file_that_is_not_toml_is_refused_with_the_place(tmp_path: Path) -> None:
    assert "not TOML: Invalid value (at line 1, column 5)" in refusal(tmp_path, text="a = = b")


def test_an_unknown_variable_with_our_prefix_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    message = refusal(tmp_path, environment={"COMPACTION_GATE_DATA": "/x"})
    assert message == (
        'settings: COMPACTION_GATE_DATA = "/x" (from environment): '
        "unknown variable; nearest known: COMPACTION_GATE_STORE_DATA"
    )


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    message = refusal(tmp_path, text='environment = "a b"\n[relay]\ndrain_s = -1\n')
    assert [line.split(" = ")[0] for line in message.splitlines()] == [
        "settings: environment",
        "settings: relay.drain_s",
    ]


def test_a_missing_file_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no such file or directory"):
        load(tmp_path / "none.toml", environment={})
