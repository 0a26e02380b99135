from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.typed import type_command


@pytest.mark.parametrize("content", [None, "", "{}", '{"environment": 5}'])
def test_what_is_no_spec_is_refused_by_name(tmp_path: Path, content: str | None) -> None:
    spec = tmp_path / "observer.spec.json"
    if content is not None:
        spec.write_text(content)
    typed = type_command("_observer", "--spec", spec)
    assert typed.code == 65
    assert f"{spec}: found " in typed.err
    assert "expected an observer's spec" in typed.err
