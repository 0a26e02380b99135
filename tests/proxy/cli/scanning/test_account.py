from __future__ import annotations

from pathlib import Path

from proxy.cli.scanning.account import Account
from proxy.cli.scanning.work import scan
from tests.support.journey import a_file, a_journey
from tests.support.transcripts import ClaudeFile, CodexFile, call, numbered, say, usage


def the_account(file: ClaudeFile, folder: Path) -> Account:
    file.write(folder / "a.jsonl")
    (account,) = scan([folder], a_journey("recorded"), jobs=1).accounts
    return account


def a_compacted_session() -> ClaudeFile:
    file = ClaudeFile()
    file.user("hello")
    content = numbered(a_file("a"))
    for place in range(2):
        file.turn(call(f"t{place}", "Read", file_path="/repo/a"), content, used=usage(read=1_000, write=100))
    file.answer(say("so far"), used=usage(read=1_100, write=100))
    file.compact("what was done")
    file.turn(call("u1", "Read", file_path="/repo/a"), content, used=usage(write=400))
    file.answer(say("Done."), used=usage(read=400, write=200))
    return file


def test_reads_are_parted_at_the_first_compaction_of_their_thread(tmp_path: Path) -> None:
    account = the_account(a_compacted_session(), tmp_path)
    assert (account.before.retrievals, account.after.retrievals) == (2, 1)
    assert dict(account.before.labels) == {"acquisition": 1, "repeat_visible": 1}
    assert dict(account.after.labels) == {"reacquisition": 1}


def test_a_bill_with_a_line_that_is_not_told_is_a_lower_bound(tmp_path: Path) -> None:
    (charged,) = the_account(a_compacted_session(), tmp_path).compactions
    assert charged.untold == ["summary"]
    assert charged.bill.measured_pico_usd is None
    # 400 written instead of read, at 3.75 - 0.30 µUSD each, and what the re-read took of the turn after it.
    rewrite = 400 * (3_750_000 - 300_000)
    assert charged.bill.rewrite.pico_usd == rewrite
    assert charged.known_pico_usd == rewrite + (charged.bill.exact.pico_usd or 0)
    saved = (1_200 - 400) * 300_000
    assert charged.bill.saved_per_turn_pico_usd == saved
    assert charged.pays_back_after == -(-charged.known_pico_usd // saved)
    assert charged.net_pico_usd == charged.known_pico_usd - 2 * saved


def test_the_summary_that_was_only_implied_is_no_turn_and_lacks_no_usage(tmp_path: Path) -> None:
    account = the_account(a_compacted_session(), tmp_path)
    assert (account.turns, account.usage_missing, account.marks, account.unfollowed) == (5, 0, 1, 0)


def test_a_turn_without_usage_leaves_nothing_to_bill(tmp_path: Path) -> None:
    file = a_compacted_session()
    for record in file.records:
        record.get("message", {}).pop("usage", None)
    account = the_account(file, tmp_path)
    (charged,) = account.compactions
    assert (account.usage_missing, account.pico_usd) == (5, None)
    assert (charged.pays_back_after, charged.net_pico_usd) == (None, None)
    assert charged.untold == ["summary", "rewrite", "exact"]


def test_a_compaction_after_which_nothing_is_missing_is_counted_apart(tmp_path: Path) -> None:
    file = CodexFile()
    file.user("go on")
    file.turn("cat a", "content of a")
    for _ in range(2):
        file.compact("the same words each time\nin as many lines\nas it takes")
        file.say("on")
    file.write(tmp_path / "a.jsonl")
    (account,) = scan([tmp_path], a_journey("recorded"), jobs=1).accounts
    assert (account.marks, account.unfollowed) == (2, 0)
    assert account.unseen == 2 - len(account.compactions)
