from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from config.load import load
from proxy.model.errors import InputError
from proxy.wiring.settings import loop_limits, relay_spec
from proxy.wiring.spec import read_relay_spec


def test_a_spec_is_read_back_as_written_and_holds_no_secret(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("canary-canary-canary")
    environment = {"COMPACTION_GATE_RELAY_TOKEN_FILE": str(token), "COMPACTION_GATE_RELAY_LISTEN": "[::1]:9"}
    spec = relay_spec(load(environment=environment).settings)
    assert (spec.host, spec.port) == ("::1", 9)
    (tmp_path / "spec").write_text(spec.encode())
    assert read_relay_spec(tmp_path / "spec") == spec
    assert "canary" not in spec.encode()


def test_the_digest_names_what_a_relay_was_told_but_for_its_socket() -> None:
    spec = relay_spec(load(environment={}).settings)
    assert replace(spec, listen_fd=7).digest() == spec.digest()
    assert replace(spec, drain_s=1).digest() != spec.digest()


@pytest.mark.parametrize("content", [None, "", "[]", "{}", '{"data": 1, "unknown": 2}'])
def test_something_else_is_no_spec(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "spec").write_text(content)
    with pytest.raises(InputError, match="expected a relay's spec"):
        read_relay_spec(tmp_path / "spec")


def test_limits_of_loops_come_in_the_units_of_facts() -> None:
    limits = loop_limits(load(environment={"COMPACTION_GATE_SESSIONS_LOOP_IDLE_S": "60"}).settings)
    assert limits.idle_us == 60_000_000
