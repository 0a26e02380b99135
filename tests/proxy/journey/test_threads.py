"""Sessions and threads: who a call belongs to, several at once."""

from __future__ import annotations

from dataclasses import replace

import orjson

from proxy.model.exchange import Outcome
from proxy.model.facts import ExchangeFact, ExchangeKind, SessionFact, ThreadFact, TurnFact
from tests.support.journey import Client, Driver, a_file, numbered, read, text, usage

APP = a_file("app")
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def test_a_sub_agent_has_a_thread_and_a_ledger_of_its_own() -> None:
    driver = Driver()
    main, child = Client(driver), Client(driver, agent="a1b2c3")
    child.tools = ["Read", "Bash"]
    main.user(text("look around"))
    main.does(read("c1", "/repo/app.py"), numbered(APP))
    child.user(text("look at the app"))
    child.does(read("d1", "/repo/app.py"), numbered(APP))
    child.turn()
    main.turn()
    assert driver.run.labels() == {"c1": "acquisition", "d1": "acquisition"}
    threads = {thread.thread: (thread.kind, thread.parent) for thread in driver.run.of(ThreadFact)}
    assert threads == {"main": ("main", None), "agent:a1b2c3": ("agent", "main")}
    assert len(driver.run.of(SessionFact)) == 1


def test_two_sub_agents_of_the_same_id_in_two_sessions_do_not_meet() -> None:
    driver = Driver()
    for session in ("s1", "s2"):
        agent = Client(driver, session, agent="same")
        agent.user(text("look"))
        agent.does(read("c1", "/repo/app.py"), numbered(APP))
        agent.turn()
    assert len(driver.run.of(SessionFact)) == 2
    assert {turn.relation for turn in driver.run.of(TurnFact)} == {"first", "extends"}


def test_a_title_call_is_a_side_thread() -> None:
    driver = Driver()
    main, side = Client(driver), Client(driver)
    side.tools, side.system = [], [text("Write a title.")]
    main.user(text("change the timeout"))
    side.user(text("change the timeout"))
    side.turn(text("Timeout change"))
    main.turn()
    main.user(text("more"))
    main.turn()
    assert {t.thread: t.kind for t in driver.run.of(ThreadFact)} == {"side": "side", "main": "main"}
    assert [t.relation for t in driver.run.of(TurnFact) if t.thread == "main"] == ["first", "extends"]


def test_tries_of_one_turn_are_counted_and_make_one_turn() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.turn(status=529, answer=OVERLOADED, keep=False)
    client.turn(status=529, answer=OVERLOADED, keep=False)
    client.turn()
    exchanges = client.driver.run.of(ExchangeFact)
    assert [(e.kind, e.turn, e.attempt, e.reason) for e in exchanges] == [
        (ExchangeKind.ATTEMPT, 1, 1, "overloaded_error"),
        (ExchangeKind.ATTEMPT, 1, 2, "overloaded_error"),
        (ExchangeKind.TURN, 1, 3, ""),
    ]
    assert [turn.turn for turn in client.driver.run.of(TurnFact)] == [1]


def test_the_session_is_the_same_by_header_and_by_metadata() -> None:
    driver = Driver()
    by_header, by_metadata = Client(driver, "11111111-2222-3333-4444-555555555555"), Client(driver)
    del by_metadata.headers["x-claude-code-session-id"]
    user = orjson.dumps({"device_id": "d", "session_id": "11111111-2222-3333-4444-555555555555"}).decode()
    by_header.user(text("go"))
    by_header.turn()
    by_metadata.messages = by_header.messages
    by_metadata.user(text("on"))
    by_metadata.turn(body={"metadata": {"user_id": user}})
    assert len(driver.run.of(SessionFact)) == 1
    assert [turn.relation for turn in driver.run.of(TurnFact)] == ["first", "extends"]


def test_a_named_session_wins_over_the_clients_own_id() -> None:
    driver = Driver()
    client = Client(driver)
    client.user(text("go"))
    client.turn(headers={"x-compaction-session": "nightly"})
    client.headers["x-claude-code-session-id"] = "another"
    client.user(text("on"))
    client.turn(headers={"x-compaction-session": "nightly"})
    (session,) = driver.run.of(SessionFact)
    assert session.key_kind == "header"


def test_a_resumed_session_knows_what_its_history_shows() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.messages.append({"role": "assistant", "content": [read("old", "/repo/app.py")]})
    client.messages.append(
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "old", "content": numbered(APP)}]}
    )
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.turn()
    assert client.driver.run.labels() == {"c1": "repeat_visible"}


def test_a_session_goes_on_in_another_process_with_other_tools_and_system() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.turn()
    client.system = [text("You work in a folder.\nModel: another line\nWorking directory: /repo")]
    client.tools = [*client.tools, "Extra"]
    client.user(text("continue"))
    client.turn()
    assert client.driver.run.relations == ["first", "extends", "extends"]


def test_a_reply_that_never_reached_the_history_is_a_retried_turn() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.turn(keep=False)
    client.turn()
    assert client.driver.run.relations == ["first", "retried"]


def test_usage_and_misses_of_the_prompt_cache_are_told() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.turn(used=usage(write=5_000, output=10))
    client.user(text("on"))
    client.turn(used=usage(read=5_000, write=200, output=10))
    client.clock_us += 6 * 60 * 1_000_000
    client.user(text("and on"))
    client.turn(used=usage(write=5_400, output=10))
    client.system = [text("another system altogether")]
    client.user(text("again"))
    client.turn(used=usage(write=5_600, output=10))
    assert [turn.cache_miss for turn in client.driver.run.of(TurnFact)] == ["cold", "", "ttl", "prefix changed"]


def test_a_request_that_never_came_whole_is_a_try_of_nobody() -> None:
    client = Client(Driver())
    client.user(text("go"))
    whole = client.exchange([text("done")])
    refused = replace(whole, request_complete=False, status=502, response_body=b"", outcome=Outcome.REFUSED)
    client.driver.observe(refused)
    (exchange,) = client.driver.run.of(ExchangeFact)
    assert (exchange.kind, exchange.reason, exchange.session) == (ExchangeKind.ATTEMPT, "refused", None)


def test_a_placeholder_in_a_history_first_seen_is_no_content() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.messages.append({"role": "assistant", "content": [read("old", "/repo/app.py")]})
    client.messages.append(
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "old", "content": "[Old tool result content cleared]"}],
        }
    )
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.turn()
    assert client.driver.run.labels() == {"c1": "acquisition"}
