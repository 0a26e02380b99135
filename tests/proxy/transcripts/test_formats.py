from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.transcripts.formats import EMPTY, NO_MESSAGES, UNKNOWN, Format, Head, connected, group, look
from proxy.transcripts.trouble import Trouble
from tests.support.transcripts import ClaudeFile, CodexFile


def test_a_transcript_is_known_by_what_stands_in_it_not_by_its_name(tmp_path: Path) -> None:
    claude, codex = ClaudeFile(), CodexFile()
    claude.records.append({"type": "summary", "summary": "before", "leafUuid": "x"})
    first = claude.user("hello")
    found = [look(claude.write(tmp_path / "notes.txt"), Trouble()), look(codex.write(tmp_path / "x"), Trouble())]
    assert [(head.format, head.session, head.first) for head in found if head] == [
        (Format.CLAUDE_CODE, claude.session, first["uuid"]),
        (Format.CODEX, codex.thread, codex.thread),
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", EMPTY),
        (b"\n\n", EMPTY),
        (b"\x7fELF\x00\x01\x02", UNKNOWN),
        (b'{"type":"session","id":"pi"}\n{"type":"message","message":{}}\n', UNKNOWN),
        (b'{"messages":[]}', UNKNOWN),
        (b"hello there\n", UNKNOWN),
        (b'{"type":"summary","leafUuid":"x"}\n', NO_MESSAGES),
        (b'{"type":"user","uuid":"x"}\n', UNKNOWN),
        (b'{"type":"session_meta","payload":{}}\n', UNKNOWN),
    ],
)
def test_what_is_no_transcript_is_named_with_the_reason(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content)
    trouble = Trouble()
    assert look(path, trouble) is None
    assert [(entry.reason, entry.file) for entry in trouble.entries()] == [(reason, str(path))]


def head(name: str, session: str, first: str, at_us: int, kind: Format = Format.CLAUDE_CODE) -> Head:
    return Head(Path(name), kind, session, first, at_us)


def test_files_of_one_session_and_files_that_begin_alike_belong_together_the_earliest_first() -> None:
    heads = [
        head("resumed", "s2", "u1", 30),
        head("main", "s1", "u1", 10),
        head("agent", "s1", "u9", 20),
        head("other", "s3", "u3", 5),
        head("codex", "s1", "s1", 40, Format.CODEX),
    ]
    assert [(each.session, [str(file) for file in each.files]) for each in group(heads)] == [
        ("s3", ["other"]),
        ("s1", ["main", "agent", "resumed"]),
        ("s1", ["codex"]),
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sets(st.integers(0, 12), max_size=4), max_size=12))
def test_lots_are_the_connected_places(signs: list[set[int]]) -> None:
    lots = connected(signs)
    assert sorted(place for lot in lots for place in lot) == list(range(len(signs)))
    held = [set().union(*(signs[place] for place in lot)) for lot in lots]
    assert all(left.isdisjoint(right) for at, left in enumerate(held) for right in held[at + 1 :])
    for lot in lots:  # nothing is put together without a reason
        reached = more = {lot[0]}
        while more:
            more = {place for place in lot if any(signs[place] & signs[one] for one in reached)} - reached
            reached = reached | more
        assert reached == set(lot)
