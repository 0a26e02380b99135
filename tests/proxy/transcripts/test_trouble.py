from __future__ import annotations

from proxy.transcripts.trouble import Entry, Trouble


def test_each_reason_is_kept_once_for_a_file_with_its_first_place_and_how_often() -> None:
    trouble = Trouble()
    for line in (3, 9, 12):
        trouble.note("invalid JSON", "/a", line)
    trouble.note("empty", "/b")
    assert [(entry.reason, entry.place, entry.count) for entry in trouble.entries()] == [
        ("empty", "/b", 1),
        ("invalid JSON", "/a:3", 3),
    ]


def test_what_another_noted_is_taken_over() -> None:
    trouble = Trouble([Entry("x", "/a", 1)])
    trouble.add([Entry("x", "/a", 5, 2), Entry("x", "/b", None)])
    assert [(entry.place, entry.count) for entry in trouble.entries()] == [("/a:1", 3), ("/b", 1)]
