"""Which thread a call belongs to."""

from __future__ import annotations

import pytest

from proxy.model.facts import SessionFact, ThreadFact, TurnFact
from proxy.model.ids import SessionId
from proxy.sessions.phrases import SUMMARY_SYSTEMS
from tests.support.compaction import CONTINUATION, SUMMARY, compact
from tests.support.journey import Client, Driver, text


def threads(driver: Driver) -> list[str]:
    return [fact.thread for fact in driver.run.of(ThreadFact)]


def test_agents_whose_ids_look_like_each_others_threads_do_not_meet() -> None:
    driver = Driver()
    for agent in ("a.2", "a", "a"):
        client = Client(driver, agent=agent)
        client.user(text(f"task number {len(threads(driver))}"))
        client.turn()
    assert len(set(threads(driver))) == 3


def test_an_answer_that_the_user_quotes_behind_a_rewind_is_no_summary_of_what_still_stands() -> None:
    client = Client(Driver())
    client.user(text("write it down"))
    client.turn(text(SUMMARY))
    client.user(text(f"You said:\n{SUMMARY}\nWhy so?"))
    client.turn()
    client.user(text("first idea"))
    client.turn()
    client.messages = client.messages[:4]
    client.user(text("second idea"))
    client.turn()
    assert client.driver.run.boundaries == []
    assert client.driver.run.relations[-1] == "rewind"


def test_a_call_for_a_title_that_quotes_the_summary_compacts_nothing() -> None:
    driver = Driver()
    main, side = Client(driver), Client(driver, writer="x" * 32)
    main.user(text("go"))
    main.turn()
    compact(main)
    main.turn()
    side.tools, side.system = [], [text("Write a title.")]
    side.user(text(CONTINUATION + SUMMARY))
    side.turn(text("The title"))
    main.user(text("on"))
    main.turn()
    assert threads(driver) == ["main", "side"]
    assert len(driver.run.boundaries) == 1


def test_two_histories_that_fit_equally_are_told_apart_the_same_way_after_a_restart() -> None:
    """Twelve threads that nothing but their names tells apart, at one time; the state is loaded by names."""
    driver = Driver()
    clients = [Client(driver, writer=f"{number:032}") for number in range(12)]
    for number, client in enumerate(clients):
        client.user(text(f"task number {number}"))
        client.clock_us -= 2_000_000
        client.turn()
    (session,) = driver.parts
    loaded = driver.journey.load(SessionId(session), driver.parts[session])
    assert list(loaded.threads) != threads(driver)
    clients[0].messages = []
    clients[0].user(text("task number 3"))
    clients[0].turn()
    assert driver.run.of(TurnFact)[-1].thread == "main.4"


def test_what_the_client_sent_through_its_door_is_known_after_a_restart() -> None:
    driver = Driver()
    main, side = Client(driver), Client(driver, writer="x" * 32)
    side.tools = []
    main.user(text("go"))
    side.user(text("a title for it"))
    main.turn()
    side.turn(text("The title"))
    main.tools = [*main.tools, "ToolSearch"]
    main.user(text("on"))
    main.turn()
    side.user(text("a better one"))
    side.turn()
    (session,) = driver.run.of(SessionFact)
    assert '"tool_search":true' in session.door_effects


@pytest.mark.parametrize("opening", SUMMARY_SYSTEMS)
def test_a_call_that_does_nothing_but_summarise_is_told_by_its_system_text(opening: str) -> None:
    driver = Driver()
    summariser = Client(driver)
    summariser.tools, summariser.system = [], [text(f"{opening} Be brief.")]
    summariser.user(text("the whole conversation"))
    summariser.turn(text("what was done"))
    assert [turn.purpose for turn in driver.run.of(TurnFact)] == ["summary"]
