from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.journey import a_file
from tests.support.transcripts import ClaudeFile, CodexFile, call, numbered, say, usage
from tests.support.typed import Typed, type_command

DOCS = Path(__file__).parents[4] / "docs"
TRACES = "shared/traces"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user without transcripts and without a data folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def scan(*arguments: str | Path) -> Typed:
    return type_command("scan", "--jobs", "1", *arguments)


def scanned(*arguments: str | Path) -> dict[str, Any]:
    typed = scan(*arguments, "--format", "json")
    assert typed.code == 0, typed.err
    found: dict[str, Any] = json.loads(typed.out)
    return found


def a_compacted_session(session: str = "5c1f0c5e-0000-4000-8000-000000000001") -> ClaudeFile:
    file = ClaudeFile(session=session)
    file.user("hello")
    content = {name: numbered(a_file(name)) for name in "ab"}
    for place, name in enumerate("aba"):
        used = usage(read=10_000 + 500 * place, write=500, output=50)
        file.turn(call(f"t{place}", "Read", file_path=f"/repo/{name}"), content[name], used=used)
    file.answer(say("so far"), used=usage(read=12_000, write=300))
    file.compact("what was done")
    for place, name in enumerate("aab"):
        used = usage(read=3_000 + 400 * place, write=2_000 if not place else 400, output=50)
        file.turn(call(f"u{place}", "Read", file_path=f"/repo/{name}"), content[name], used=used)
    file.answer(say("Done."), used=usage(read=5_000, write=300))
    return file


def test_the_page_tells_compactions_rereads_with_their_baseline_and_the_bill(tmp_path: Path) -> None:
    a_compacted_session().write(tmp_path / "t" / "a.jsonl")
    typed = scan(tmp_path / "t")
    assert typed.code == 0
    lines = [" ".join(line.split()) for line in typed.lines]
    assert lines[0].startswith("scan · 1 transcript of 1 file · 1 session · 8 turns · 2026-01-02 12:00 to ")
    assert " · recorded · inferred · as of " in lines[0]
    assert lines[1] == "nothing was sent, nothing is stored"
    assert "compactions 1 (1 auto)" in lines
    assert "re-reads 2 exact of 3 retrievals after a compaction (67 %), 0 partial (0 %)" in lines
    assert "all 3 3" in lines
    assert "exact re-read: the same content, every copy had been dropped none by definition 2 67 %" in lines
    assert "repeat: a copy still stood in view (habit) 1 33 % 1 33 %" in lines
    assert "2 exact re-reads of 3 observations that had been dropped: 67 %" in lines
    assert "unknown tools: 0 % of 6 calls; re-read figures are lower bounds" in lines
    assert "summary calls not measured not measured 0 of 1" in lines
    assert any("pays back after at least" in line and line.endswith("4 followed") for line in lines)
    assert any(line.startswith("worst session: 5c1f0c5e-0000-4000-8000-000000000001 ") for line in lines)
    assert lines[-1].startswith("next: compaction-gate wrap -- claude")


def test_nothing_is_stored_unless_it_is_asked_for_and_then_the_paths_alone(tmp_path: Path) -> None:
    path = a_compacted_session().write(tmp_path / "t" / "a.jsonl")
    data = tmp_path / "data"
    assert type_command("--data", data, "scan", path).code == 0
    assert not data.exists()
    typed = type_command("--data", data, "scan", path, "--keep")
    assert "nothing is stored but the list of scanned paths" in typed.out
    assert [file.name for file in data.iterdir()] == ["last-scan.json"]
    kept = json.loads((data / "last-scan.json").read_text())
    assert (kept["format"], kept["paths"]) == ("compaction-gate last scan", [str(path)])


def test_several_processes_say_what_one_says(tmp_path: Path) -> None:
    for place in range(5):
        a_compacted_session(f"{place:08x}-0000-4000-8000-000000000001").write(tmp_path / "t" / f"{place}.jsonl")
    CodexFile().write(tmp_path / "t" / "codex.jsonl")
    one, two = (
        json.loads(type_command("scan", tmp_path / "t", "--jobs", jobs, "--format", "json").out) for jobs in "12"
    )
    assert one.pop("as_of_us") <= two.pop("as_of_us")
    assert one == two


def test_without_a_path_the_clients_own_folders_are_read(home: Path) -> None:
    typed = scan()
    assert (typed.code, typed.lines[-2]) == (
        0,
        "next: compaction-gate scan PATH     (Claude Code: ~/.claude/projects, Codex: ~/.codex/sessions)",
    )
    a_compacted_session().write(home / ".claude" / "projects" / "-work" / "a.jsonl")
    codex = CodexFile()
    codex.user("hello")
    codex.say("hi")
    codex.write(home / ".codex" / "sessions" / "2026" / "01" / "02" / "rollout-1.jsonl")
    found = scanned()
    assert [one["client"] for one in found["sessions"]] == ["claude-code", "codex"]


def test_a_named_path_that_cannot_be_read_is_told_after_all_that_can(tmp_path: Path) -> None:
    path = a_compacted_session().write(tmp_path / "a.jsonl")
    typed = scan(tmp_path / "none", path)
    assert typed.code == 65
    assert f"{tmp_path}/none: found no such file or directory, expected a file or folder that can be read" in typed.err
    assert "compactions  1 (1 auto)" in typed.out


def test_bad_input_is_named_once_with_its_place_and_the_rest_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "t"
    good = a_compacted_session().write(folder / "good.jsonl")
    content = good.read_bytes().splitlines(keepends=True)
    cut = a_compacted_session("5c1f0c5e-0000-4000-8000-00000000cccc").write(folder / "cut.jsonl")
    cut.write_bytes(cut.read_bytes()[:-40])
    strange = a_compacted_session("5c1f0c5e-0000-4000-8000-00000000dddd")
    strange.records[2:2] = [{"type": "hologram"}, {"type": "hologram"}]
    strange.write(folder / "strange.jsonl")
    (folder / "latin.jsonl").write_bytes(content[0].replace(b"hello", b"gr\xfc\xdfe") + content[0])
    (folder / "binary").write_bytes(bytes(range(256)) * 50)
    (folder / "empty.jsonl").touch()
    (folder / "circle").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    shutil.copy(good, folder / "copy.jsonl")
    found = scanned(folder)
    places = {(entry["reason"], Path(entry["place"]).name) for entry in found["not_read"]}
    assert places == {
        ("a link that leads in circles", "circle"),
        ("cut off: invalid JSON", f"cut.jsonl:{len(content)}"),
        ("empty", "empty.jsonl"),
        ("invalid UTF-8", "latin.jsonl:1"),
        ("neither a file nor a folder", "pipe"),
        ("not a known transcript", "binary"),
        ("unknown record type hologram", "strange.jsonl:3"),
    }
    repeated = [one["repeated"] for one in found["sessions"]]
    assert sum(repeated) == len(content) + 1
    assert "Traceback" not in scan(folder).out


def test_only_what_was_active_in_the_time_is_told(tmp_path: Path) -> None:
    old = a_compacted_session().write(tmp_path / "t" / "old.jsonl")
    a_compacted_session("5c1f0c5e-0000-4000-8000-00000000aaaa").write(tmp_path / "t" / "new.jsonl")
    os.utime(old, (1_700_000_000, 1_700_000_000))
    found = scanned(tmp_path / "t", "--since", "30d")
    assert (found["too_old"], found["transcripts"], found["sessions"]) == (1, 1, [])
    assert "no transcript with a model call was found in that time" in scan(tmp_path / "t", "--since", "30d").out
    assert len(scanned(tmp_path / "t", "--since", "36500d")["sessions"]) == 2


def test_limits_are_proposed_as_comments_and_unmeasured_with_too_few_sessions(tmp_path: Path) -> None:
    a_compacted_session().write(tmp_path / "t" / "0.jsonl")
    few = [line for line in scan(tmp_path / "t", "--suggest-limits").lines if line.startswith("#")]
    assert few[1].startswith("# excess_reacquisition_tokens_max: DECIDE     # not measured: n = 1 session")
    for place in range(1, 20):
        a_compacted_session(f"{place:08x}-0000-4000-8000-000000000001").write(tmp_path / "t" / f"{place}.jsonl")
    many = [line for line in scan(tmp_path / "t", "--suggest-limits").lines if line.startswith("#")]
    assert "n = 20, p50 = " in many[1]
    assert many[2].startswith("# maximum_unknown_tools: 0.00     # 0 of 120 calls")


def test_every_key_of_the_object_stands_in_the_docs(tmp_path: Path) -> None:
    a_compacted_session().write(tmp_path / "t" / "a.jsonl")
    (tmp_path / "t" / "other").write_text("x")
    document = (DOCS / "scan.md").read_text()
    for key in _keys(scanned(tmp_path / "t", "--suggest-limits")):
        assert f"`{key}`" in document, key


def _keys(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value).union(*(_keys(inner) for key, inner in value.items() if key not in ("by_class", "triggers")))
    if isinstance(value, list):
        return set().union(*map(_keys, value))
    return set()


def test_of_the_recorded_traces_one_is_a_transcript_and_the_others_are_named() -> None:
    folder = next((up / TRACES for up in Path(__file__).parents if (up / TRACES).is_dir()), None)
    if folder is None:
        pytest.skip("the recorded traces are not here")
    found = scanned(folder)
    (session,) = found["sessions"]
    assert (session["marks"], session["unfollowed"], session["calls"], session["turns"]) == (1, 1, 10, 12)
    reasons = [entry["reason"] for entry in found["not_read"]]
    assert reasons == ["not a known transcript"] * (int(str(found["files"])) - 1)
