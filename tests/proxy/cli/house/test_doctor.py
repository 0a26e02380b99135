from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from pathlib import Path

import pytest

from config.load import load
from proxy.cli.house.doctor import all_checks
from proxy.cli.views.doctor import Check, doctor_lines, worst
from tests.support.service import a_service, an_upstream, environment_of
from tests.support.typed import type_command


def look(tmp_path: Path, upstream: str, environment: Mapping[str, str] | None = None, **own: str) -> list[Check]:
    settings = {
        "COMPACTION_GATE_STORE_DATA": str(tmp_path / "data"),
        "COMPACTION_GATE_UPSTREAMS_ANTHROPIC_URL": upstream,
        "COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB": "0",
        "COMPACTION_GATE_EGRESS_PROXY": "none",
    }
    return list(all_checks(load(environment=settings | own), environment or {}, tmp_path / "home"))


def of(checks: list[Check], name: str) -> Check:
    return next(check for check in checks if check.name == name)


def test_all_is_well(tmp_path: Path) -> None:
    with an_upstream() as upstream:
        checks = look(tmp_path, upstream.url, COMPACTION_GATE_RELAY_LISTEN="127.0.0.1:0")
        assert upstream.seen == []
    assert worst([check for check in checks if check.name != "ports"]) == 0
    assert "connected in" in of(checks, "upstream anthropic").said
    assert of(checks, "store").said == "none yet; the first observed exchange makes it"


def test_the_upstreams_of_what_runs_count_not_those_this_shell_would_start(tmp_path: Path) -> None:
    with an_upstream() as theirs, a_service(tmp_path / "data", environment_of(theirs.url)):
        check = of(look(tmp_path, "http://127.0.0.1:9"), "upstream anthropic")
    assert check.is_well
    assert theirs.url.removeprefix("http://") in check.said


def test_a_refused_connection_is_69(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    checks = look(tmp_path, f"http://127.0.0.1:{port}")
    assert of(checks, "upstream anthropic").said.startswith(f"127.0.0.1:{port}: upstream unreachable: ")
    assert worst(checks) == 69


def test_an_upstream_that_does_not_speak_tls_is_told_apart(tmp_path: Path) -> None:
    with an_upstream() as upstream:
        check = of(look(tmp_path, upstream.url.replace("http:", "https:")), "upstream anthropic")
    assert not check.is_well
    assert "upstream tls" in check.said
    assert "egress.ca_bundle" in check.advice


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        check = of(look(tmp_path, "http://127.0.0.1:9", COMPACTION_GATE_RELAY_LISTEN=listen), "ports")
    assert check.said == f"in use by another program: {listen}"


def test_a_full_disk_and_a_bad_bundle_are_found(tmp_path: Path) -> None:
    full = look(tmp_path, "http://127.0.0.1:9", COMPACTION_GATE_CAPTURE_FREE_DISK_FLOOR_GIB="1000000")
    assert not of(full, "disk").is_well
    bundle = look(tmp_path, "http://127.0.0.1:9", COMPACTION_GATE_EGRESS_CA_BUNDLE=str(tmp_path / "none.pem"))
    assert "none.pem: found no such file or directory" in of(bundle, "relay").said


def test_variables_that_lead_around_us_are_found_without_their_secrets(tmp_path: Path) -> None:
    settings = tmp_path / "home/.claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        json.dumps({"env": {"ANTHROPIC_BASE_URL": "https://u:canary@h", "ANTHROPIC_API_KEY": "canary"}})
    )
    environment = {"CLAUDE_CODE_USE_BEDROCK": "1", "ANTHROPIC_BASE_URL": "https://u:canary@gateway"}
    said = [check.said for check in look(tmp_path, "http://127.0.0.1:9", environment) if check.name == "client"]
    assert said == [
        "ANTHROPIC_BASE_URL is set to gateway, not to a running relay of ours; `wrap` relays to it",
        "CLAUDE_CODE_USE_BEDROCK is set: Claude Code then goes around a base URL",
        "~/.claude/settings.json sets ANTHROPIC_BASE_URL, which overrides variables (h)",
    ]


def test_a_folder_that_others_can_list_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o755)
    check = of(look(tmp_path, "http://127.0.0.1:9"), "data folder")
    assert (check.is_well, check.exit_code, check.advice) == (False, 0, f"chmod 700 {tmp_path}/data")


def test_an_unwritable_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    check = of(look(tmp_path, "http://127.0.0.1:9"), "data folder")
    assert (check.is_well, check.exit_code) == (False, 73)


def test_the_command_prints_advice_under_what_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COMPACTION_GATE_UPSTREAMS_ANTHROPIC_URL", "http://127.0.0.1:9")
    typed = type_command("--data", tmp_path / "data", "doctor")
    assert typed.code == 69
    assert "LOOK  upstream anthropic" in typed.out
    assert doctor_lines([Check(name="a", is_well=False, said="b", advice="c")]) == ["LOOK  a  b", "      → c"]


def test_a_rule_that_cannot_be_used_is_named_and_the_others_count(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text("version: 1\ntools:\n  - tool: good\n")
    with an_upstream() as upstream:
        assert of(look(tmp_path, upstream.url, COMPACTION_GATE_TOOLS_FILES=str(file)), "tool rules").is_well
        file.write_text("version: 1\ntools:\n  - tool: good\n  - {tool: bad, class: reading}\n")
        found = look(tmp_path, upstream.url, COMPACTION_GATE_TOOLS_FILES=str(file))
    rule = of(found, "tool rules")
    assert (rule.is_well, rule.exit_code) == (False, 78)
    assert f"{file}:4" in rule.said
