from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.support.service import ROOT
from tests.support.typed import type_command


def test_what_is_no_spec_is_refused_by_name(tmp_path: Path) -> None:
    typed = type_command("_relay", "--spec", tmp_path / "none.json")
    assert typed.code == 65
    assert "expected a relay's spec" in typed.err


def test_a_relays_process_loads_nothing_that_stands_behind_the_journal() -> None:
    heavy = ("pydantic", "sqlalchemy", "aiohttp", "tiktoken", "prometheus_client", "yaml", "orjson", "genai_prices")
    code = f"import sys, proxy.cli.live.relay_process; print([name for name in {heavy!r} if name in sys.modules])"
    typed = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert typed.stdout == "[]\n"
