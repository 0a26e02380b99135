"""Clients that name no session: their calls are put together by what they continue."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.facts import ExchangeFact, SessionFact, SessionKeyFact
from tests.support.compaction import CONTINUATION
from tests.support.journey import Client, Driver, a_file, bash, call, numbered, read, result, text

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def nameless(driver: Driver, writer: str = "w" * 32) -> Client:
    client = Client(driver, writer=writer)
    client.headers = {"user-agent": "Anthropic/Python 2.14.0"}
    return client


def sessions(driver: Driver) -> list[str | None]:
    return [exchange.session for exchange in driver.run.of(ExchangeFact)]


def test_a_conversation_without_ids_is_one_session() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    client.does(read("t2", "/repo/a.py"), numbered(a_file("a.py")))
    client.turn()
    assert len(set(sessions(client.driver))) == 1
    assert client.driver.run.of(SessionFact)[0].key_kind == "fingerprint"
    assert client.driver.run.labels() == {"t1": "acquisition", "t2": "repeat_visible"}


def test_the_same_first_question_asked_again_is_another_session() -> None:
    driver = Driver()
    for number, writer in enumerate(("a" * 32, "b" * 32)):
        client = nameless(driver, writer)
        client.user(text("go"))
        client.does(bash(f"{writer}{number}", "ls"), "a.py")
        client.turn()
    assert len(set(sessions(driver))) == 2


def test_a_failed_first_try_and_its_repetition_are_one_session() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    client.turn(status=529, answer=OVERLOADED, keep=False)
    client.turn()
    assert len(set(sessions(client.driver))) == 1


def test_a_shortened_history_that_keeps_a_reply_stays_in_its_session() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    client.does(bash("t2", "make"), "built")
    client.messages = [client.messages[0], *client.messages[-2:]]
    client.turn()
    assert len(set(sessions(client.driver))) == 1
    assert [boundary.evidence for boundary in client.driver.run.boundaries] == ["history replaced"]


def test_a_shortened_history_that_holds_nothing_but_the_summary_stays_in_its_session() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    summary = "\n".join(a_file("what was done so far", 6))
    client.user(text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."))
    client.turn(text(f"<summary>\n{summary}\n</summary>"))
    client.messages = [{"role": "user", "content": [text(f"{CONTINUATION}\n{summary}")]}]
    client.turn()
    assert len(set(sessions(client.driver))) == 1
    assert len(client.driver.run.boundaries) == 1


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2), min_size=9, max_size=9), st.data())
def test_conversations_that_run_at_the_same_time_are_kept_apart(order: list[int], data: st.DataObject) -> None:
    driver = Driver()
    clients = [nameless(driver, letter * 32) for letter in "abc"]
    for client in clients:
        client.user(text("go"))
    found: dict[int, set[str | None]] = {0: set(), 1: set(), 2: set()}
    for turn, who in enumerate(order):
        asked = bash(data.draw(st.uuids()).hex, "ls")
        clients[who].asks(asked)
        clients[who].answers(result(asked["id"], f"answer {turn}"))
        found[who].add(sessions(driver)[-1])
    assert all(len(own) <= 1 for own in found.values())
    assert len(set().union(*found.values())) == len(set(order))


def test_conversations_that_are_the_same_so_far_share_a_session_and_part_by_what_they_say() -> None:
    driver = Driver()
    clients = [nameless(driver, letter * 32) for letter in "ab"]
    for client in clients:
        client.user(text("go"))
        client.does(bash("t1", "ls"), "a.py")
    for client, words in zip(clients, ("one", "another"), strict=True):
        client.turn(text(f"{words} way"))
    assert len(set(sessions(driver))) == 2
    assert driver.run.boundaries == []


def test_an_answered_question_that_had_failed_once_does_not_draw_the_next_ones_in() -> None:
    driver = Driver()
    for number, letter in enumerate("abc"):
        client = nameless(driver, letter * 32)
        client.user(text("go"))
        if number == 0:
            client.turn(status=529, answer=OVERLOADED, keep=False)
        client.does(bash(f"{letter}1", "ls"), "a.py")
        client.turn()
    assert len(set(sessions(driver))) == 3


def test_an_id_that_changes_in_the_middle_begins_a_session_that_knows_what_it_brings() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    for headers in ({"x-claude-code-session-id": "other"}, {}):
        client.headers = {"user-agent": "claude-cli/2.1.332 (external, sdk-cli)", **headers}
        client.does(read(f"t{len(client.messages)}", "/repo/a.py"), numbered(a_file("a.py")))
        client.turn()
    run = client.driver.run
    assert [fact.key_kind for fact in run.of(SessionFact)] == ["client", "client", "fingerprint"]
    assert [label for label in run.labels().values() if label != "pending"] == ["repeat_visible"] * 2
    assert run.boundaries == []


def test_tools_that_change_do_not_part_a_conversation() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    client.does(bash("t1", "ls"), "a.py")
    client.tools = ["Read", "mcp__more"]
    client.does(bash("t2", "ls"), "a.py")
    client.turn()
    assert len(set(sessions(client.driver))) == 1


def test_a_sub_agent_of_a_client_without_ids_is_a_session_of_its_own() -> None:
    driver = Driver()
    client, kid = nameless(driver), nameless(driver, "k" * 32)
    client.user(text("go"))
    client.asks(call("t1", "Agent", prompt="look"))
    kid.user(text("look"))
    kid.does(bash("k1", "ls"), "a.py")
    kid.turn(text("there is a.py"))
    client.answers(result("t1", "there is a.py"))
    client.turn()
    assert len(set(sessions(driver))) == 2
    assert sessions(driver)[0] == sessions(driver)[-1]


def test_one_turn_leaves_few_signs() -> None:
    client = nameless(Driver())
    client.user(text("go"))
    for number in range(30):
        client.does(bash(f"t{number}", "ls"), "a.py")
    assert len(client.driver.run.of(SessionKeyFact)) <= 30 * 2 + 2
