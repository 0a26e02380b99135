from __future__ import annotations

import os
from pathlib import Path

from proxy.transcripts.discovery import IN_CIRCLES, NO_FILE, default_paths, find_files
from proxy.transcripts.trouble import Trouble


def test_files_are_found_in_a_fixed_order_and_each_once(tmp_path: Path) -> None:
    for name in ("b/2", "b/1", "a"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "c").symlink_to(tmp_path / "a")
    trouble = Trouble()
    found = find_files([tmp_path, tmp_path / "b", tmp_path / "a"], trouble)
    assert [str(file.relative_to(tmp_path)) for file in found] == ["a", "b/1", "b/2"]
    assert trouble.entries() == []


def test_links_in_circles_are_named_and_left(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "up").symlink_to(tmp_path)
    (tmp_path / "self").symlink_to(tmp_path / "self")
    (tmp_path / "file").write_text("x")
    trouble = Trouble()
    assert [file.name for file in find_files([tmp_path], trouble)] == ["file"]
    assert {(entry.reason, Path(entry.file).name) for entry in trouble.entries()} == {
        (IN_CIRCLES, "up"),
        ("too many levels of symbolic links", "self"),
    }


def test_what_is_no_file_and_what_is_not_there_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    trouble = Trouble()
    assert find_files([tmp_path / "pipe", tmp_path / "none"], trouble) == []
    assert [entry.reason for entry in trouble.entries()] == [NO_FILE, "no such file or directory"]


def test_the_clients_own_folders_are_taken_when_they_are_there(tmp_path: Path) -> None:
    assert default_paths(tmp_path) == []
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)
    assert default_paths(tmp_path) == [tmp_path / ".codex" / "sessions"]
