"""`scan` over what somebody left on a disk to trip it: it ends, says what it could not read, and steers no terminal."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.service import PATIENCE_S, PROGRAM, ROOT, environment_of, typed, until
from tests.support.transcripts import ClaudeFile

USED = {"input_tokens": 10, "output_tokens": 2}
WRONG_USAGE: tuple[Any, ...] = (
    {"input_tokens": -5, "output_tokens": -1}, {"input_tokens": 1 << 70, "output_tokens": 1}, [1], "x", 7,
    {"input_tokens": 1 << 62, "output_tokens": 1 << 62}, {"input_tokens": {"a": 1}},
    {"input_tokens": 1.5, "output_tokens": True},
)  # fmt: skip
TIMES: tuple[Any, ...] = (
    "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-14:00", "0001-01-01T00:00:00+14:00", "1969-01-01T00:00:00Z", "soon",
    12345, None, {"at": 1},
)  # fmt: skip


def session(name: str, **changes: Any) -> ClaudeFile:
    """A question and its answer."""
    file = ClaudeFile(session=f"{name:0<20}", cwd=changes.pop("cwd", "/repo"))
    file.user("hi")
    file.answer({"type": "text", "text": "ok"}, used=changes.pop("used", USED))
    for record in file.records:
        record.update(changes)
    return file


def write(path: bytes, *records: Any) -> None:
    """Any records, into a file of any name."""
    with open(path, "wb") as file:  # noqa: PTH123  a name that is no text
        file.writelines(json.dumps(record).encode() + b"\n" for record in records)


def hostile(tree: Path) -> None:
    """Everything at once."""
    tree.mkdir()
    write(os.fsencode(tree / "good.jsonl"), *session("good").records)
    write(os.fsencode(tree / "\x1b[31mred\n.jsonl"), *session("\x1b]0;title\x07", cwd="/\x1b[5m/repo\u202e").records, 5)
    write(os.fsencode(tree) + b"/no-text-\xff.jsonl", *session("no text").records)
    write(os.fsencode(tree) + b"/no-text-\xff.txt", "nothing")
    for place, used in enumerate(WRONG_USAGE):
        write(os.fsencode(tree / f"used{place}.jsonl"), *session(f"u{place}", used=used).records)
    for place, told in enumerate(TIMES):
        write(os.fsencode(tree / f"time{place}.jsonl"), *session(f"t{place}", timestamp=told).records)
    circle = session("circle").records
    circle[0]["parentUuid"], own = circle[1]["uuid"], dict(circle[1], uuid="self", parentUuid="self", isSidechain=True)
    write(os.fsencode(tree / "circle.jsonl"), *circle, own, own, circle[1])
    (tree / "loop").symlink_to(tree)
    (tree / "self").symlink_to("self")
    (tree / "endless.jsonl").symlink_to("/dev/zero")
    os.mkfifo(tree / "pipe.jsonl")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tree / "socket.jsonl"))


@pytest.fixture
def environment() -> dict[str, str]:
    return environment_of("http://127.0.0.1:1")


@pytest.mark.parametrize("form", ["text", "json"])
def test_one_process_and_several_say_the_same_byte_for_byte(
    tmp_path: Path, environment: dict[str, str], form: str
) -> None:
    hostile(tmp_path / "tree")
    found = [
        typed(tmp_path / "data", environment, "scan", str(tmp_path / "tree"), "--format", form, "--jobs", jobs)
        for jobs in "14"
    ]
    assert [each.returncode for each in found] == [0, 0], found[0].stderr
    one, four = (each.stdout.splitlines() for each in found)
    assert [line for line in one if "as" not in line] == [line for line in four if "as" not in line]  # "as of" a minute
    assert not set("\x1b\x07\r\u202e") & set(found[0].stdout)
    assert found[0].stderr == ""
    assert not (tmp_path / "data").exists()
    if form == "json":
        told = json.loads(found[0].stdout)
        assert {each["reason"] for each in told["not_read"]} >= {
            "a link that leads in circles", "neither a file nor a folder", "too many levels of symbolic links",
        }  # fmt: skip
        assert sum(each["usage_missing"] for each in told["sessions"]) == len(WRONG_USAGE)
        assert told["totals"]["sessions"] == 4 + len(WRONG_USAGE) + len(TIMES)


def test_folders_nested_deeper_than_calls_are_walked_as_far_as_the_system_names_them(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    at = tmp_path / "tree"
    at.mkdir()
    folder = os.open(at, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("d", dir_fd=folder)
        below = os.open("d", os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    os.close(folder)
    found = typed(tmp_path / "data", environment, "scan", str(at))
    subprocess.run(["rm", "-rf", str(at)], check=True)  # what pytest would do is recursive
    assert found.returncode == 0, found.stderr
    assert "file name too long" in found.stdout


def test_paths_that_are_no_text_are_kept_as_they_are(tmp_path: Path, environment: dict[str, str]) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.jsonl")
    write(os.fsencode(path), *session("s").records)
    found = typed(tmp_path / "data", environment, "scan", path, "--keep")
    assert found.returncode == 0, found.stderr
    assert json.loads((tmp_path / "data" / "last-scan.json").read_text())["paths"] == [path]


def test_an_interrupt_ends_it_and_all_its_processes(tmp_path: Path, environment: dict[str, str]) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    long = " ".join(str(number * 7919 % 104_729) for number in range(400_000))
    for place in range(4):
        file = session(f"s{place}")
        for _ in range(30):
            file.user(f"{place} {long}")
            file.answer({"type": "text", "text": "ok"}, used=USED)
        write(os.fsencode(tree / f"{place}.jsonl"), *file.records)
    command = [*PROGRAM, "--data", str(tmp_path / "data"), "scan", str(tree), "--jobs", "3"]
    process = subprocess.Popen(
        command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    readers: list[str] = []

    def reading() -> bool:
        readers[:] = children.read_text().split()
        return len(readers) == 3

    until(reading)
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, [text.strip() for text in said]) == (130, [b"", b""])
    assert [pid for pid in readers if Path(f"/proc/{pid}").exists()] == []


@pytest.mark.parametrize("span", ["0s", "9" * 5000 + "d", "٣d", "-1d"])
def test_a_span_that_is_none_is_a_wrong_use(tmp_path: Path, environment: dict[str, str], span: str) -> None:
    assert typed(tmp_path / "data", environment, "scan", str(tmp_path), "--since", span).returncode == 64


def test_a_span_longer_than_all_time_leaves_nothing_out(tmp_path: Path, environment: dict[str, str]) -> None:
    write(os.fsencode(tmp_path / "a.jsonl"), *session("s").records)
    found = typed(tmp_path / "data", environment, "scan", str(tmp_path), "--since", "9" * 18 + "d")
    assert (found.returncode, "1 session" in found.stdout) == (0, True), found.stderr
