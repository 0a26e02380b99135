from __future__ import annotations

from pathlib import Path

from proxy.cli.scanning.limits import Limit
from proxy.cli.scanning.work import Scan, scan
from proxy.cli.views.scan import Told, scan_lines
from proxy.story.figures import TIMES
from proxy.transcripts.trouble import Entry
from tests.support.journey import a_journey
from tests.support.transcripts import ClaudeFile, CodexFile, say

NOW_US = 1_780_000_000_000_000


def page(found: Scan, **more: object) -> list[str]:
    return scan_lines(Told(scan=found, as_of_us=NOW_US, **more))  # type: ignore[arg-type]  # what the test is about


def test_an_empty_scan_says_what_to_type_next() -> None:
    lines = page(Scan(accounts=[], files=0, transcripts=0, too_old=0))
    assert lines[0] == "scan · 0 transcripts of 0 files · 0 sessions · 0 turns · recorded · as of 2026-05-28 20:26"
    assert lines[3] == "no transcript with a model call was found"


def test_what_was_not_read_is_named_by_reason_with_the_first_places() -> None:
    trouble = [Entry("empty", f"/{name}", None) for name in "abcde"] + [Entry("invalid JSON", "/f", 7, 12)]
    lines = page(Scan(accounts=[], files=9, transcripts=0, too_old=3, trouble=trouble))
    assert "not opened: 3 files that had not changed in that time" in lines
    assert f"not read: 5 {TIMES} empty: /a, /b, /c and 2 more" in lines
    assert f"not read: 12 {TIMES} invalid JSON: /f:7" in lines


def test_sessions_without_a_compaction_have_no_bill_and_a_baseline_all_the_same(tmp_path: Path) -> None:
    file = ClaudeFile()
    file.user("hello")
    file.answer(say("hi"))
    file.write(tmp_path / "a.jsonl")
    lines = page(scan([tmp_path], a_journey("recorded"), jobs=1))
    assert "known cost   none" in lines
    assert not any("all compactions together" in line for line in lines)
    assert lines[-1].startswith("next: compaction-gate wrap -- claude")


def test_a_compaction_that_cannot_be_priced_says_so(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("hello")
    file.turn("cat a", "content of a")
    file.compact_remotely("opaque", prompt=5_000)
    file.say("Done.", prompt=90_000)
    file.write(tmp_path / "a.jsonl")
    lines = page(scan([tmp_path], a_journey("recorded"), jobs=1), limits=[Limit("key", "", "why")])
    assert "behaviour-only" in lines[0]
    assert any("when it pays back cannot be said; 1 followed" in line for line in lines)
    assert "  modelled: whether they paid back cannot be said" in lines
    assert "# key: DECIDE     # why" in lines
