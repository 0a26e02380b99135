from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.cli.look.explain import explained, named
from proxy.model.errors import UsageError
from proxy.store import open_database
from tests.support.stories import a_compacted_session, keep, reads
from tests.support.typed import type_command


def test_a_call_or_a_boundary_is_found_by_the_name_that_pages_print(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
    boundary = type_command("--data", tmp_path, "explain", "last:b1")
    assert (boundary.code, boundary.lines[0]) == (0, "7f3a91c2:b1")
    call = type_command("--data", tmp_path, "explain", "7f3a:t8:c2")
    assert (call.code, call.lines[0]) == (0, "7f3a91c2:t8:c2 · main · mystery")


def test_all_calls_of_a_turn_a_providers_id_and_a_sub_agents_call() -> None:
    told = a_compacted_session()
    told.turn(9_500, reads("x.py"), thread="agent:1")
    story = told.story()
    assert [line.split(" ")[0] for line in explained(story, named(story, "t8")) if line and line[0] != " "] == [
        "7f3a91c2:t8:c1",
        "7f3a91c2:t8:c2",
    ]
    assert explained(story, named(story, "toolu_8_1"))[0].startswith("7f3a91c2:t8:c2")
    assert explained(story, named(story, "agent:1:t2:c1"))[0].startswith("7f3a91c2:agent:1:t2:c1")


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("b2", "b2: this session has 1 compaction so far"),
        ("b0", "b0: this session has 1 compaction so far"),
        ("t99", "t99: no such call or compaction in this session"),
        ("", "no call or compaction is named; expected SESSION:b1"),
    ],
)
def test_a_name_that_is_not_there_is_refused(what: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        named(a_compacted_session().story(), what)
    assert str(caught.value).startswith(message)


def test_programs_get_a_call_or_a_boundary_as_the_session_has_it(tmp_path: Path) -> None:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_compacted_session(), database)
    whole = json.loads(type_command("--data", tmp_path, "session", "last", "--format", "json").out)
    (call,) = json.loads(type_command("--data", tmp_path, "explain", "last:t8:c2", "--format", "json").out)
    assert call in whole["calls"]
    assert (
        json.loads(type_command("--data", tmp_path, "explain", "last:b1", "--format", "json").out)
        == whole["boundaries"]
    )
