from __future__ import annotations

import os
from pathlib import Path

import pytest

from proxy.transcripts import lines
from proxy.transcripts.lines import read_lines
from proxy.transcripts.trouble import Trouble


def read(path: Path) -> tuple[list[tuple[int, dict[str, object]]], list[tuple[str, int | None]]]:
    trouble = Trouble()
    found = [(line.number, line.record) for line in read_lines(path, trouble)]
    return found, [(entry.reason, entry.line) for entry in trouble.entries()]


def test_a_bad_line_is_noted_with_its_number_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}\n\n[1]\nnot json\n{"b":"\xff"}\n{"c":2}\n{"d":')
    found, trouble = read(path)
    assert found == [(1, {"a": 1}), (6, {"c": 2})]
    assert trouble == [
        ("cut off: invalid JSON", 7),
        ("invalid JSON", 4),
        ("invalid UTF-8", 5),
        ("not a JSON object", 3),
    ]


def test_a_last_line_without_an_end_is_read_and_a_byte_order_mark_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a":1}\n{"b":2}')
    assert read(path) == ([(1, {"a": 1}), (2, {"b": 2})], [])


def test_a_line_that_is_too_long_is_passed_over_without_being_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LINE_LIMIT", 1024 * 1024)
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'{"a":1}\n')
        file.seek(8 * 1024 * 1024, os.SEEK_CUR)  # a hole: zeros that nobody wrote
        file.write(b'\n{"b":2}\n')
    assert read(path) == ([(1, {"a": 1}), (3, {"b": 2})], [("a line over 1 MiB", 2)])


def test_a_line_of_just_the_limit_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LINE_LIMIT", 7)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"a":1}')
    assert read(path) == ([(1, {"a": 1})], [])


def test_a_file_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    assert read(tmp_path / "none") == ([], [("no such file or directory", None)])
    assert read(tmp_path) == ([], [("is a directory", None)])
