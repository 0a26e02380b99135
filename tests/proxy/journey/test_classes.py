"""The golden set of classes: every row and edge of design §7 and V4-V6, on the wire as Claude Code sends it."""

from __future__ import annotations

import pytest

from proxy.model.facts import DropFact, InSummary, Label, ObservationFact
from tests.support.compaction import SECOND, compact
from tests.support.journey import Client, Driver, a_file, bash, call, numbered, read, result, text

APP = a_file("app")
DB = a_file("db")
STUB = "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead."


@pytest.fixture
def client() -> Client:
    client = Client(Driver())
    client.user(text("change the timeout"))
    return client


def labels(client: Client) -> dict[str, str]:
    client.turn()  # the next request brings the last answer
    return client.driver.run.labels()


def test_a_first_read_is_an_acquisition(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    assert labels(client) == {"c1": "acquisition"}


def test_the_same_read_while_its_result_is_visible_is_habit(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "repeat_visible"


def test_the_same_read_after_the_result_was_dropped_is_a_reacquisition(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "reacquisition"
    fact = client.driver.run.call("c2")
    assert fact.boundary == 1
    assert fact.in_summary is InSummary.NONE
    assert fact.suspected
    assert fact.turns_later == 0
    assert fact.reread_tokens_ref == fact.arguments_tokens_ref + len(numbered(APP).split())
    assert fact.repeats == "main/1.0"
    assert fact.model_us == 1_000_000


def test_changed_content_is_a_refresh_even_after_a_drop(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered([*APP, "and a new line at the end"]))
    assert labels(client)["c2"] == "refresh"
    assert client.driver.run.call("c2").boundary is None


def test_a_read_after_a_write_in_between_is_a_refresh_when_it_differs(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(call("c2", "Edit", file_path="/repo/app.py", old_string="1", new_string="one"), "updated successfully")
    client.does(read("c3", "/repo/app.py"), numbered(["changed first line here", *APP[1:]]))
    found = labels(client)
    assert (found["c2"], found["c3"]) == ("not_retrieval", "refresh")


def test_a_write_that_left_the_content_as_it_was_does_not_hide_a_reacquisition(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(call("c2", "Write", file_path="/repo/app.py", content="\n".join(APP)), "updated successfully")
    compact(client)
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    assert labels(client)["c3"] == "reacquisition"


def test_cat_and_read_of_the_same_file_are_the_same_key(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(bash("c2", "cat app.py"), "\n".join(APP))
    assert labels(client)["c2"] == "reacquisition"


@pytest.mark.parametrize("path", ["./app.py", "/repo/./app.py", "/repo/pkg/../app.py", "app.py"])
def test_paths_are_compared_normalised(client: Client, path: str) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(bash("c2", f"cat {path}"), "\n".join(APP))
    assert labels(client)["c2"] == "reacquisition"


def test_a_part_of_a_dropped_file_is_a_subset_and_counts_only_its_lines(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py", offset=3, limit=4), numbered(APP[2:6], 3))
    assert labels(client)["c2"] == "subset"
    fact = client.driver.run.call("c2")
    assert fact.reread_tokens_ref == sum(len(line.split()) for line in APP[2:6])
    assert fact.boundary == 1


def test_a_whole_file_after_a_dropped_part_is_a_superset(client: Client) -> None:
    client.does(read("c1", "/repo/app.py", offset=3, limit=4), numbered(APP[2:6], 3))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "superset"
    assert client.driver.run.call("c2").reread_tokens_ref == sum(len(line.split()) for line in APP[2:6])


def test_another_range_that_shares_lines_is_an_overlap(client: Client) -> None:
    client.does(read("c1", "/repo/app.py", offset=1, limit=6), numbered(APP[:6]))
    compact(client)
    client.does(read("c2", "/repo/app.py", offset=4, limit=6), numbered(APP[3:9], 4))
    assert labels(client)["c2"] == "overlap"
    assert client.driver.run.call("c2").reread_tokens_ref == sum(len(line.split()) for line in APP[3:6])


def test_the_same_content_by_another_range_is_a_variant(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(bash("c2", "head -500 app.py"), "\n".join(APP))
    assert labels(client)["c2"] == "variant"


def test_a_range_never_seen_before_of_a_seen_file_is_an_acquisition(client: Client) -> None:
    client.does(read("c1", "/repo/app.py", offset=1, limit=3), numbered(APP[:3]))
    compact(client)
    client.does(read("c2", "/repo/app.py", offset=7, limit=3), numbered(APP[6:9], 7))
    assert labels(client)["c2"] == "acquisition"


def test_lines_brought_back_once_are_not_counted_again_for_the_same_boundary(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py", offset=1, limit=6), numbered(APP[:6]))
    client.does(read("c3", "/repo/app.py", offset=4, limit=6), numbered(APP[3:9], 4))
    labels(client)
    second = client.driver.run.call("c3")
    assert second.label is Label.OVERLAP
    assert second.reread_tokens_ref == sum(len(line.split()) for line in APP[6:9])


def test_a_part_of_what_was_just_brought_back_is_habit(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    client.does(read("c3", "/repo/app.py", offset=3, limit=4), numbered(APP[2:6], 3))
    found = labels(client)
    assert (found["c2"], found["c3"]) == ("reacquisition", "repeat_visible")


def test_two_parallel_calls_share_no_line(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.asks(read("c2", "/repo/app.py", offset=1, limit=6), read("c3", "/repo/app.py", offset=4, limit=9))
    # the results come in the opposite order: they are matched by id
    client.answers(result("c3", numbered(APP[3:], 4)), result("c2", numbered(APP[:6])))
    labels(client)
    first, second = client.driver.run.call("c2"), client.driver.run.call("c3")
    assert first.label is Label.SUBSET
    assert second.label is Label.OVERLAP
    tokens = (first.reread_tokens_ref or 0) + (second.reread_tokens_ref or 0)
    assert tokens == sum(len(line.split()) for line in APP)


def test_a_stub_is_attempted_before_and_after_a_boundary(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/app.py"), STUB)
    compact(client)
    client.does(read("c3", "/repo/app.py"), STUB)
    found = labels(client)
    assert (found["c2"], found["c3"]) == ("attempted", "attempted")
    before, after = client.driver.run.call("c2"), client.driver.run.call("c3")
    assert (before.boundary, after.boundary) == (None, 1)
    assert after.reread_tokens_ref == after.arguments_tokens_ref + len(STUB.split())
    assert after.observation is None


def test_a_demanded_reread_is_forced(client: Client) -> None:
    refusal = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(call("c2", "Edit", file_path="/repo/app.py", old_string="1", new_string="2"), refusal, is_error=True)
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    found = labels(client)
    assert (found["c2"], found["c3"]) == ("not_retrieval", "forced")
    assert client.driver.run.call("c3").boundary == 1


def test_a_demand_before_the_first_read_makes_an_acquisition(client: Client) -> None:
    refusal = "<tool_use_error>File has not been read yet. Read it first before writing to it.</tool_use_error>"
    client.does(call("c1", "Edit", file_path="/repo/app.py", old_string="1", new_string="2"), refusal, is_error=True)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "acquisition"


def test_a_file_that_the_client_attached_again_is_still_visible(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/db.py"), numbered(DB))
    again = text(f"<system-reminder>\nResult of calling the Read tool:\n{numbered(APP)}</system-reminder>")
    compact(client, again)
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    client.does(read("c4", "/repo/db.py"), numbered(DB))
    found = labels(client)
    assert (found["c3"], found["c4"]) == ("repeat_visible", "reacquisition")
    boundary = client.driver.run.boundaries[0]
    assert (boundary.dropped_observations, boundary.reattached) == (1, 1)


def test_content_that_stands_verbatim_in_the_summary_was_not_dropped(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client, summary="The file reads:\n" + "\n".join(APP) + "\nNext comes the edit.")
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "repeat_visible"
    assert client.driver.run.of(DropFact) == []


def test_content_that_stands_partly_in_the_summary_was_dropped_and_says_so(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client, summary=f"One line matters:\n{APP[3]}\nNext comes the edit.")
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "reacquisition"
    assert client.driver.run.call("c2").in_summary is InSummary.PARTLY
    assert [drop.in_summary for drop in client.driver.run.of(DropFact)] == [InSummary.PARTLY]


def test_a_visible_larger_reading_keeps_a_part_visible(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/app.py", offset=3, limit=4), numbered(APP[2:6], 3))
    assert labels(client)["c2"] == "repeat_visible"


def test_what_came_back_can_be_dropped_again_by_the_next_boundary(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    client.turn()
    compact(client, summary=SECOND)
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    labels(client)
    again = client.driver.run.call("c3")
    assert (again.label, again.boundary) == (Label.REACQUISITION, 2)
    assert [fact.dropped_by for fact in client.driver.run.of(ObservationFact)] == [1, 2, None]


def test_a_reread_is_charged_to_the_boundary_that_removed_the_last_copy(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    kept = text(f"<system-reminder>\nResult of calling the Read tool:\n{numbered(APP)}</system-reminder>")
    compact(client, kept)
    client.turn()
    compact(client, summary=SECOND)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "reacquisition"
    assert client.driver.run.call("c2").boundary == 2


def test_a_repeated_execution_is_never_a_reread(client: Client) -> None:
    client.does(bash("c1", "make test"), "all passed in no time")
    compact(client)
    client.does(bash("c2", "make test"), "all passed in no time")
    assert labels(client)["c2"] == "not_retrieval"


def test_an_unknown_tool_is_never_a_reread(client: Client) -> None:
    client.does(call("c1", "frobnicate", thing="x"), "the very same answer here")
    compact(client)
    client.does(call("c2", "frobnicate", thing="x"), "the very same answer here")
    assert labels(client)["c2"] == "not_retrieval"
    assert client.driver.run.call("c2").tool_class == "unknown"


def test_a_failed_read_is_no_observation(client: Client) -> None:
    client.does(read("c1", "/repo/none.py"), "<tool_use_error>File does not exist.</tool_use_error>", is_error=True)
    client.does(read("c2", "/repo/none.py"), numbered(APP))
    found = labels(client)
    assert (found["c1"], found["c2"]) == ("failed", "acquisition")


def test_two_files_with_the_same_content_are_two_things(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    compact(client)
    client.does(read("c2", "/repo/copy.py"), numbered(APP))
    assert labels(client)["c2"] == "acquisition"


def test_a_poll_is_a_refresh_by_rule(client: Client) -> None:
    client.does(bash("c1", "git status"), "nothing to commit, working tree clean")
    client.does(bash("c2", "git status"), "nothing to commit, working tree clean")
    assert labels(client)["c2"] == "refresh"


def test_an_empty_result_after_a_drop_is_compared_by_key_and_hash(client: Client) -> None:
    client.does(bash("c1", "grep -rn nothing /repo/src"), "")
    compact(client)
    client.does(bash("c2", "grep -rn nothing /repo/src"), "")
    client.does(bash("c3", "grep -rn other /repo/src"), "")
    found = labels(client)
    assert (found["c2"], found["c3"]) == ("reacquisition", "acquisition")


def test_a_call_without_a_result_is_told(client: Client) -> None:
    client.asks(read("c1", "/repo/app.py"))
    client.user(text("stop that, do something else"))
    assert labels(client)["c1"] == "no_result"


def test_a_result_without_its_call_is_passed_over(client: Client) -> None:
    client.turn()
    client.answers(result("nowhere", "what is this result about"))
    assert labels(client) == {}


def test_a_result_kept_over_an_automatic_compaction_is_judged_as_of_its_asking_turn(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.asks(read("c2", "/repo/db.py"))
    newest = client.messages[-1]
    client.messages = client.messages[:-1]
    compact(client)
    client.messages += [newest]
    client.answers(result("c2", numbered(DB)))
    assert labels(client)["c2"] == "acquisition"
    assert client.driver.run.boundaries[0].dropped_observations == 1
    client.does(read("c3", "/repo/db.py"), numbered(DB))
    assert labels(client)["c3"] == "repeat_visible"


def test_a_shell_keeps_the_folder_it_was_left_in(client: Client) -> None:
    client.does(read("c1", "/repo/pkg/app.py"), numbered(APP))
    client.does(bash("c2", "cd pkg && ls"), "app.py and nothing else")
    compact(client)
    client.does(bash("c3", "cat app.py"), "\n".join(APP))
    assert labels(client)["c3"] == "reacquisition"


def test_a_shell_that_the_client_put_back_is_where_it_says(client: Client) -> None:
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(bash("c2", "cd /elsewhere && ls"), "nothing there\nShell cwd was reset to /repo")
    compact(client)
    client.does(bash("c3", "cat app.py"), "\n".join(APP))
    assert labels(client)["c3"] == "reacquisition"


def test_a_part_of_the_second_file_of_one_call_is_seen(client: Client) -> None:
    client.does(bash("c1", "cat db.py app.py"), "\n".join([*DB, *APP]))
    compact(client)
    client.does(read("c2", "/repo/app.py"), numbered(APP))
    assert labels(client)["c2"] == "subset"
