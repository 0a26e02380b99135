from __future__ import annotations

from pathlib import Path

import pytest

from proxy.supervisor.children import Identity
from proxy.supervisor.running import Running, read_running

RUNNING = Running(
    by="serve",
    since_us=5,
    supervisor=Identity(1, 2),
    relay=Identity(3, 4),
    relay_url="http://127.0.0.1:1",
    relay_spec="d",
    observer=None,
    admin_url="",
)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    RUNNING.write(tmp_path / "running.json")
    assert read_running(tmp_path / "running.json") == RUNNING
    assert (tmp_path / "running.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [None, "", "{", "[]", '{"relay": 5}', '{"supervisor": [1, 2]}'])
def test_a_file_that_says_nothing_is_nothing(tmp_path: Path, content: str | None) -> None:
    if content is not None:
        (tmp_path / "running.json").write_text(content)
    assert read_running(tmp_path / "running.json") is None
