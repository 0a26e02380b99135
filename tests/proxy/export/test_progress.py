from __future__ import annotations

from pathlib import Path

import pytest

from proxy.export.progress import Followed, Progress, begin_progress, read_progress
from proxy.model.errors import CannotWriteError


def test_what_was_written_is_read(tmp_path: Path) -> None:
    progress = Progress(since_us=5, sent=3, dropped=1, sessions={"a": Followed({"main": 7}, seen_us=9, ended_us=9)})
    progress.write(tmp_path / "export.json")
    assert read_progress(tmp_path / "export.json") == progress
    assert (tmp_path / "export.json").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", [None, "", "[]", "{}", '{"since_us": 1, "sessions": {"a": {"no": 1}}}', "{"])
def test_what_cannot_be_read_is_none(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "export.json").write_text(text)
    assert read_progress(tmp_path / "export.json") is None


def test_only_a_new_progress_begins_now(tmp_path: Path) -> None:
    begin_progress(tmp_path / "export.json", 5)
    begin_progress(tmp_path / "export.json", 9)
    assert read_progress(tmp_path / "export.json") == Progress(since_us=5)
    with pytest.raises(CannotWriteError, match="no such file or directory"):
        begin_progress(tmp_path / "nowhere/export.json", 5)
