"""One compaction is one boundary: what looks like a second one, and what comes back."""

from __future__ import annotations

import pytest

from proxy.model.facts import BoundaryKind, DropFact, Observability, ObservationFact
from tests.support.compaction import cleared, compact
from tests.support.journey import Client, Driver, a_file, bash, numbered, read, result, text

APP, DB = a_file("app"), a_file("db")


@pytest.fixture
def client() -> Client:
    client = Client(Driver())
    client.user(text("change the timeout"))
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.does(read("c2", "/repo/db.py"), numbered(DB))
    return client


def test_a_rewind_behind_a_summary_that_was_seen_is_none(client: Client) -> None:
    compact(client)
    client.turn()
    client.user(text("first idea"))
    client.turn()
    client.messages = client.messages[:2]
    client.user(text("second idea"))
    client.turn()
    assert len(client.driver.run.boundaries) == 1
    assert client.driver.run.relations[-1] == "rewind"


def test_a_compaction_right_after_the_first_call_that_was_seen_is_one() -> None:
    client = Client(Driver())
    client.user(text("an old session"))
    client.messages.append({"role": "assistant", "content": [read("old", "/repo/app.py")]})
    client.answers(result("old", numbered(APP)))
    compact(client)
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.turn, boundary.dropped_observations) == (2, 1)
    assert client.driver.run.labels()["c1"] == "reacquisition"


def test_what_the_provider_had_cleared_has_not_come_back_by_a_rewind(client: Client) -> None:
    client.turn(answer=cleared(1))
    client.user(text("first idea"))
    client.turn(answer=cleared(1))
    client.messages = client.messages[:-2]
    client.user(text("second idea"))
    client.turn(answer=cleared(1))
    (boundary,) = client.driver.run.boundaries
    assert (boundary.kind, boundary.dropped_observations) == (BoundaryKind.PROVIDER_CLEAR, 1)


def test_what_the_provider_shows_again_is_dropped_no_more(client: Client) -> None:
    client.turn(answer=cleared(1))
    client.user(text("go on"))
    client.turn(answer=cleared(0))
    assert [fact.dropped_by for fact in client.driver.run.of(ObservationFact)] == [None, None]
    client.user(text("and on"))
    client.does(read("c3", "/repo/app.py"), numbered(APP))
    client.turn()
    assert client.driver.run.labels()["c3"] == "repeat_visible"


def test_a_turn_at_which_the_window_held_no_result_does_not_end_a_rolling_boundary(client: Client) -> None:
    client.turn()
    client.user(text("some talk between"))
    client.turn()
    client.user(text("go on"))
    for number in range(3, 8):
        client.does(read(f"c{number}", f"/repo/f{number}.py"), numbered(a_file(f"f{number}")))
        del client.messages[1:3]
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert boundary.kind is BoundaryKind.ROLLING
    assert [drop.turn for drop in client.driver.run.of(DropFact)] == [6, 7, 10]


def test_a_rolling_boundary_is_whole_again_after_a_restart(client: Client) -> None:
    for number in range(3, 6):
        client.does(read(f"c{number}", f"/repo/f{number}.py"), numbered(a_file(f"f{number}")))
        del client.messages[1:3]
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert isinstance(boundary.level, Observability)
    assert isinstance(boundary.kind, BoundaryKind)


def test_a_result_whose_decoration_changed_is_still_there(client: Client) -> None:
    shown = client.messages[2]["content"][0]
    shown["content"] += "\n\n<system-reminder>The file is not malware.</system-reminder>"
    client.turn()
    assert client.driver.run.boundaries == []


def test_a_result_that_was_cut_short_in_place_stands_partly(client: Client) -> None:
    client.messages[2]["content"][0]["content"] = numbered(APP[:3]) + "\n[truncated]"
    client.turn()
    (drop,) = client.driver.run.of(DropFact)
    assert (drop.observation, drop.in_summary) == ("main/1.0", "partly")


def test_a_stub_that_was_emptied_in_place_is_no_observation(client: Client) -> None:
    client.does(read("c3", "/repo/app.py"), "Wasted call — file unchanged since your last Read.")
    client.turn()
    client.messages[6]["content"][0]["content"] = "[Old tool result content cleared]"
    client.user(text("go on"))
    client.does(read("c4", "/repo/app.py"), numbered(APP))
    client.turn()
    assert client.driver.run.labels()["c4"] == "repeat_visible"
    assert len(client.driver.run.of(ObservationFact)) == 3


def test_an_answer_that_says_nothing_is_still_visible_by_a_second_one_of_its_key(client: Client) -> None:
    client.does(bash("c3", "cat flag"), "on")
    client.does(bash("c4", "cat flag"), "on")
    client.turn()
    del client.messages[5:7]
    client.user(text("go on"))
    client.turn()
    assert client.driver.run.boundaries == []


def test_what_the_system_prompt_says_is_not_dropped_by_a_compaction_inside_a_reply(client: Client) -> None:
    client.system.append(text("The rules of this project:\n" + "\n".join(APP)))
    client.turn({"type": "compaction", "content": "Summary of it all."}, read("c3", "/repo/app.py"))
    client.answers(result("c3", numbered(APP)))
    client.turn()
    assert [drop.observation for drop in client.driver.run.of(DropFact)] == ["main/2.0"]
    assert client.driver.run.labels()["c3"] == "repeat_visible"


def test_a_garbled_list_of_excluded_tools_excludes_none(client: Client) -> None:
    management = {"edits": [{"exclude_tools": [["Read"], {}, None]}, {"exclude_tools": 5}, 5]}
    client.turn(body={"context_management": management}, answer=cleared(1))
    assert [drop.observation for drop in client.driver.run.of(DropFact)] == ["main/1.0"]
