"""What a re-read brings back, and whose boundary it is charged to."""

from __future__ import annotations

import pytest

from proxy.model.facts import InSummary, Label
from tests.support.compaction import SECOND, compact
from tests.support.journey import Client, Driver, a_file, bash, numbered, read, text

APP = a_file("app")
STUB = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."


@pytest.fixture
def client() -> Client:
    client = Client(Driver())
    client.user(text("change the timeout"))
    return client


def size(lines: list[str]) -> int:
    return sum(len(line.split()) for line in lines)


def test_a_copy_made_by_another_command_counts_as_the_last_one(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(bash("c2", "head -500 app.py"), "\n".join(APP))
    client.turn()
    compact(client, summary=SECOND)
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    client.turn()
    again = client.driver.run.call("c3")
    assert (again.label, again.boundary, again.turns_later) == (Label.REACQUISITION, 2, 0)
    assert again.repeats == "main/3.0"


def test_of_lines_that_two_boundaries_dropped_only_those_of_the_later_one_are_charged(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py", offset=1, limit=6), numbered(APP[:6]))
    client.turn()
    compact(client, summary=SECOND)
    client.does(read("c3", "/repo/app.py", offset=4, limit=6), numbered(APP[3:9], 4))
    client.does(read("c4", "/repo/app.py", offset=1, limit=3), numbered(APP[:3]))
    client.turn()
    calls = [client.driver.run.call(name) for name in ("c2", "c3", "c4")]
    assert [(call.boundary, call.reread_tokens_ref) for call in calls] == [
        (1, size(APP[:6])),
        (2, size(APP[3:6])),
        (2, size(APP[:3])),
    ]


def test_a_stub_while_a_copy_is_visible_is_charged_to_no_boundary(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(bash("c2", "head -500 app.py"), "\n".join(APP))
    client.does(read("c3", "/repo/app.py"), STUB)
    client.turn()
    stubbed = client.driver.run.call("c3")
    assert (stubbed.label, stubbed.boundary) == (Label.ATTEMPTED, None)


def test_a_part_that_stands_verbatim_in_the_summary_is_habit(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client, summary="The middle of the file reads:\n" + "\n".join(APP[2:6]) + "\nNext comes the edit.")
    client.does(read("c2", "/repo/app.py", offset=3, limit=4), numbered(APP[2:6], 3))
    client.does(read("c3", "/repo/app.py", offset=5, limit=4), numbered(APP[4:8], 5))
    client.turn()
    assert client.driver.run.labels()["c2"] == "repeat_visible"
    partly = client.driver.run.call("c3")
    assert (partly.label, partly.in_summary) == (Label.OVERLAP, InSummary.PARTLY)


def test_a_line_that_another_result_still_shows_was_not_brought_back(client: Client) -> None:
    client.does(read("c1", "/repo/app.py", offset=1, limit=8), numbered(APP[:8]))
    client.does(read("c2", "/repo/app.py", offset=5, limit=8), numbered(APP[4:12], 5))
    client.user(text("go on"))
    client.turn()
    del client.messages[1:3]
    client.user(text("and on"))
    client.does(read("c3", "/repo/app.py", offset=4, limit=3), numbered(APP[3:6], 4))
    client.turn()
    again = client.driver.run.call("c3")
    assert (again.label, again.reread_tokens_ref) == (Label.OVERLAP, size(APP[3:4]))


def test_a_forced_read_of_new_content_is_charged_to_no_boundary(client: Client) -> None:
    refusal = "<tool_use_error>File has been modified since read, either by the user or by a linter.</tool_use_error>"
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    edit = {"type": "tool_use", "id": "c2", "name": "Edit", "input": {"file_path": "/repo/app.py"}}
    client.does(edit, refusal, is_error=True)
    client.does(read("c3", "/repo/app.py"), numbered([line + " anew" for line in APP]))
    client.turn()
    forced = client.driver.run.call("c3")
    assert (forced.label, forced.boundary) == (Label.FORCED, None)


def test_a_demanded_read_that_shows_a_line_seen_before_is_forced(client: Client) -> None:
    refusal = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    client.does(read("c1", "/repo/app.py", offset=1, limit=4), numbered(APP[:4]))
    edit = {"type": "tool_use", "id": "c2", "name": "Edit", "input": {"file_path": "/repo/app.py"}}
    client.does(edit, refusal, is_error=True)
    client.does(read("c3", "/repo/app.py", offset=4, limit=4), numbered(APP[3:7], 4))
    client.turn()
    forced = client.driver.run.call("c3")
    assert (forced.label, forced.boundary) == (Label.FORCED, None)
