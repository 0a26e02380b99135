"""Codex and other clients of the Responses API: chains, calls on a WebSocket, opaque compactions."""

from __future__ import annotations

from typing import Any

import pytest

from proxy.model.facts import (
    BoundaryKind,
    ExchangeFact,
    ExchangeKind,
    InSummary,
    IterationFact,
    Observability,
    TurnFact,
)
from tests.support.journey import Driver, a_file
from tests.support.responses import a_usage
from tests.support.responses_client import ResponsesClient, asked, shell

CONTENT = "\n".join(a_file("a.py"))
WAYS: list[dict[str, Any]] = [{}, {"chained": True, "socket": True}, {"chained": True}]


def codex(way: dict[str, Any]) -> ResponsesClient:
    client = ResponsesClient(Driver(), **way)
    client.items.append(asked("fix the test"))
    return client


@pytest.mark.parametrize("way", WAYS)
def test_reads_by_shell_are_classed_alike_whichever_way_the_history_travels(way: dict[str, Any]) -> None:
    client = codex(way)
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.does(shell("c2", "cat a.py"), CONTENT)
    client.does(shell("c3", "sed -n '2,4p' a.py"), "\n".join(a_file("a.py")[1:4]))
    client.turn()
    assert client.driver.run.labels() == {"c1": "acquisition", "c2": "repeat_visible", "c3": "repeat_visible"}
    assert client.driver.run.relations == ["first", "extends", "extends", "extends"]


@pytest.mark.parametrize("way", WAYS)
def test_an_opaque_compaction_is_one_boundary_known_by_behaviour_only(way: dict[str, Any]) -> None:
    client = codex(way)
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.turn()
    client.compact()
    client.does(shell("c2", "cat a.py"), CONTENT)
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.kind, boundary.level) == (BoundaryKind.PROVIDER_COMPACTION, Observability.BEHAVIOUR_ONLY)
    assert (boundary.turn, boundary.dropped_observations) == (4, 1)
    assert boundary.summary is not None
    again = client.driver.run.call("c2")
    assert (again.label, again.in_summary) == ("reacquisition", InSummary.UNKNOWN)
    turns = client.driver.run.of(TurnFact)
    assert [turn.purpose for turn in turns] == ["main", "main", "summary", "main", "main"]
    assert {turn.thread for turn in turns} == {"main"}
    assert turns[3].relation == "compacted"


def test_a_compaction_inside_an_ordinary_call_is_seen_in_its_reply() -> None:
    client = codex({"chained": True})
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.turn({"type": "compaction", "encrypted_content": "opaque"}, shell("c2", "cat a.py"))
    client.items.append({"type": "function_call_output", "call_id": "c2", "output": CONTENT})
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.turn, boundary.kind) == (2, BoundaryKind.PROVIDER_COMPACTION)
    assert client.driver.run.labels()["c2"] == "reacquisition"


def test_what_a_prewarm_billed_counts_and_the_chain_goes_on_from_it() -> None:
    client = codex({"chained": True, "socket": True})
    client.turn(body={"generate": False}, output=[], usage=a_usage(900, 0, written=900))
    client.items.pop()
    client.sent = len(client.items)
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.turn()
    kinds = [exchange.kind for exchange in client.driver.run.of(ExchangeFact)]
    assert kinds == [ExchangeKind.PREWARM, ExchangeKind.TURN, ExchangeKind.TURN]
    assert client.driver.run.of(IterationFact)[0].cache_write_30m == 900
    assert client.driver.run.labels() == {"c1": "acquisition"}
    assert [turn.turn for turn in client.driver.run.of(TurnFact)] == [1, 2]


def test_a_compaction_by_the_client_shows_in_the_number_of_its_window() -> None:
    client = codex({})
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.does(shell("c2", "ls"), "a.py")
    client.begin_window([client.items[0], client.items[1], asked("what was done until now: one file was read")])
    client.does(shell("c3", "cat a.py"), CONTENT)
    client.turn()
    (boundary,) = client.driver.run.boundaries
    assert (boundary.kind, boundary.evidence, boundary.level) == ("client", "window number", "exact")
    assert client.driver.run.labels()["c3"] == "reacquisition"


def test_a_conversation_held_by_the_provider_is_one_history() -> None:
    client = ResponsesClient(Driver())
    client.headers = {"user-agent": "OpenAI/Python 3.57.0"}
    for number in (1, 2):
        client.items = [asked(f"look {number}")]
        client.turn(shell(f"c{number}", "cat a.py"), keep=False, body={"conversation": "conv_1", "store": True})
        client.items = [{"type": "function_call_output", "call_id": f"c{number}", "output": CONTENT}]
        client.turn(keep=False, body={"conversation": {"id": "conv_1"}, "store": True})
    assert client.driver.run.labels() == {"c1": "acquisition", "c2": "repeat_visible"}
    assert len({exchange.session for exchange in client.driver.run.of(ExchangeFact)}) == 1


def test_a_chain_without_ids_is_found_by_the_reply_that_it_names() -> None:
    client = codex({"chained": True})
    client.headers = {"user-agent": "OpenAI/Python 3.57.0"}
    for number in (1, 2):
        client.does(shell(f"c{number}", "cat a.py"), CONTENT)
        client.driver.restart()
    client.turn()
    assert client.driver.run.labels() == {"c1": "acquisition", "c2": "repeat_visible"}


@pytest.mark.parametrize("way", [{}, {"chained": True, "socket": True}])
def test_tools_that_are_offered_as_an_item_stay_on_offer(way: dict[str, Any]) -> None:
    """Codex' code mode: over an open socket the item is sent once."""
    client = codex(way)
    offered = {"type": "function", "name": "exec_command", "parameters": {}}
    client.items.insert(0, {"type": "additional_tools", "role": "developer", "tools": [offered]})
    bare: dict[str, Any] = {"tools": []}
    for number in (1, 2):
        client.turn(shell(f"c{number}", "cat a.py"), body=bare)
        client.items.append({"type": "function_call_output", "call_id": f"c{number}", "output": CONTENT})
    client.turn(body=bare)
    turns = client.driver.run.of(TurnFact)
    assert [(turn.thread, turn.tool_count) for turn in turns] == [("main", 1)] * 3
    assert len({turn.tools_sha256 for turn in turns}) == 1
    assert client.driver.run.labels() == {"c1": "acquisition", "c2": "repeat_visible"}
