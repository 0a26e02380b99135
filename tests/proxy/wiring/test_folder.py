from __future__ import annotations

from pathlib import Path

import pytest

from proxy.model.errors import CannotWriteError
from proxy.wiring.folder import DataFolder, take_lock, write_private


def test_a_folder_is_made_for_its_user_alone_and_one_that_is_there_keeps_its_mode(tmp_path: Path) -> None:
    made = DataFolder(tmp_path / "a/b")
    made.prepare()
    assert (tmp_path / "a/b").stat().st_mode & 0o777 == 0o700
    assert not made.is_open_to_others()
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o755)
    held = DataFolder(tmp_path / "open")
    held.prepare()
    assert (tmp_path / "open").stat().st_mode & 0o777 == 0o755
    assert held.is_open_to_others()


def test_a_folder_that_cannot_be_made_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CannotWriteError, match=f"data folder {tmp_path}/file/x: not a directory"):
        DataFolder(tmp_path / "file/x").prepare()


def test_one_holds_the_folder_at_a_time(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    first = folder.take()
    assert first is not None
    assert folder.take() is None
    first.close()
    second = folder.take()
    assert second is not None
    second.close()


def test_users_share_a_lock_and_only_the_last_one_has_it_alone(tmp_path: Path) -> None:
    one, two = take_lock(tmp_path / "users", shared=True), take_lock(tmp_path / "users", shared=True)
    assert one is not None
    assert two is not None
    assert not one.take_alone()
    two.close()
    assert one.take_alone()
    assert take_lock(tmp_path / "users", shared=True) is None
    one.close()


def test_a_private_file_is_replaced_at_once(tmp_path: Path) -> None:
    write_private(tmp_path / "f", "one")
    write_private(tmp_path / "f", "two")
    assert (tmp_path / "f").read_text() == "two"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    with pytest.raises(CannotWriteError, match="none/f: no such file or directory"):
        write_private(tmp_path / "none/f", "x")
    with pytest.raises(CannotWriteError, match="none/f: no such file or directory"):
        take_lock(tmp_path / "none/f")
