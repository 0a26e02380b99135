from __future__ import annotations

from pathlib import Path

from proxy.cli.scanning.overview import overview
from proxy.cli.scanning.work import Scan, available_cores, scan
from tests.support.journey import a_file, a_journey
from tests.support.transcripts import ClaudeFile, CodexFile, call, numbered, say, usage


def scanned(folder: Path, *, jobs: int = 1) -> Scan:
    return scan([folder], a_journey("recorded"), jobs=jobs)


def a_session(session: str) -> ClaudeFile:
    file = ClaudeFile(session=session)
    file.user("hello")
    file.turn(call("t1", "Read", file_path="/repo/a"), numbered(a_file("a")), used=usage(write=100))
    file.answer(say("so far"), used=usage(read=100, write=10))
    return file


def test_a_copy_that_begins_in_the_middle_is_found_by_its_replies_and_read_with_the_first(tmp_path: Path) -> None:
    file = a_session("aaaaaaaa-0000-4000-8000-000000000001")
    file.compact("what was done")
    file.answer(say("on"))
    file.write(tmp_path / "a.jsonl")
    later = ClaudeFile(session="bbbbbbbb-0000-4000-8000-000000000002", tip=file.tip)
    later.records += [{**record, "sessionId": later.session} for record in file.records[5:]]
    later.user("go on")
    later.answer(say("and on"))
    later.write(tmp_path / "b.jsonl")
    found = scanned(tmp_path)
    (account,) = found.accounts
    assert [Path(file).name for file in account.files] == ["a.jsonl", "b.jsonl"]
    assert (account.turns, account.marks, len(account.compactions)) == (4, 1, 1)
    assert account.repeated == len(file.records[5:])
    assert found.transcripts == 2


def test_sessions_are_told_in_the_order_of_time_and_add_up(tmp_path: Path) -> None:
    for place in range(3):
        a_session(f"{place:08x}-0000-4000-8000-000000000001").write(tmp_path / f"{9 - place}.jsonl")
    codex = CodexFile()
    codex.user("hello")
    codex.say("hi")
    codex.write(tmp_path / "codex.jsonl")
    found = scanned(tmp_path, jobs=2)
    assert [one.session.client for one in found.accounts] == sorted(one.session.client for one in found.accounts)
    total = overview(found.accounts)
    assert (total.sessions, total.turns, total.calls, total.before.retrievals) == (4, 7, 3, 3)
    assert (total.compactions, total.parts, total.known_pico_usd) == (0, {}, None)


def test_nothing_found_adds_up_to_nothing(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    found = scanned(tmp_path)
    assert (found.files, found.transcripts, found.accounts) == (1, 0, [])
    assert overview(found.accounts).pico_usd is None
    assert available_cores() >= 1
