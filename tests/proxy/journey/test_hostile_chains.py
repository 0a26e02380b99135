"""Chains that lie, repeat themselves, arrive in the wrong order or never end: unobservable, or right; never wrong."""

from __future__ import annotations

import pytest

from proxy.model.exchange import Exchange
from proxy.model.facts import BoundaryKind, ExchangeFact, ExchangeKind, ObservationFact, TurnFact
from tests.support.journey import Driver, Json, a_file, bash, numbered, read, result, text
from tests.support.responses import a_usage
from tests.support.responses_client import ResponsesClient, asked, shell, shown
from tests.support.ways import Chained

CONTENT = "\n".join(a_file("a.py"))
OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}


def kinds(driver: Driver) -> list[ExchangeKind]:
    return [exchange.kind for exchange in driver.run.of(ExchangeFact)]


def a_chain() -> ResponsesClient:
    client = ResponsesClient(Driver(), chained=True)
    client.items.append(asked("fix the test"))
    return client


def test_a_reply_that_names_itself_as_the_one_before_is_unobservable() -> None:
    client = a_chain()
    client.turn(id="resp_x", body={"previous_response_id": "resp_x"})
    assert kinds(client.driver) == [ExchangeKind.UNOBSERVABLE]


def test_a_known_reply_id_that_comes_again_as_its_own_follower_ends_nothing() -> None:
    client = a_chain()
    client.turn(id="resp_x")
    client.items.append(asked("more"))
    client.turn(id="resp_x")
    client.items.append(asked("and more"))
    client.turn(id="resp_y")
    assert kinds(client.driver) == [ExchangeKind.TURN, ExchangeKind.TURN, ExchangeKind.UNOBSERVABLE]


def test_an_id_that_stands_for_two_histories_is_unobservable_after_a_restart_as_well() -> None:
    client = a_chain()
    for words in ("one", "another"):
        client.items, client.sent, client.last = [asked(words)], 0, ""
        client.turn(id="resp_1")
    client.driver.restart()
    client.items.append(asked("go on"))
    client.turn(id="resp_2")
    assert kinds(client.driver)[-1] is ExchangeKind.UNOBSERVABLE


def test_the_same_answer_seen_twice_leaves_its_id_good() -> None:
    client = a_chain()
    client.turn(id="resp_1", keep=False)
    client.turn(id="resp_1")
    client.items.append(asked("go on"))
    client.turn()
    assert client.driver.run.relations == ["first", "retried", "extends"]


def test_a_child_that_is_read_before_its_parent_is_unobservable_and_the_rest_of_the_chain_with_it() -> None:
    client = Chained(Driver())
    client.user(text("go"))
    sent: list[Exchange] = []
    for number in range(3):
        block = bash(f"t{number}", f"step {number}")
        sent.append(client.exchange([block], stop="tool_use"))
        client.messages.append({"role": "assistant", "content": [block]})
        client.answers(result(f"t{number}", "done"))
    for exchange in (sent[0], sent[2], sent[1]):
        client.driver.observe(exchange)
    assert kinds(client.driver) == [ExchangeKind.TURN, ExchangeKind.UNOBSERVABLE, ExchangeKind.TURN]
    client.turn()
    assert kinds(client.driver)[-1] is ExchangeKind.UNOBSERVABLE


def test_a_chain_goes_on_after_an_unknown_parent_in_its_middle() -> None:
    client = a_chain()
    client.does(shell("c1", "cat a.py"), CONTENT)
    known = client.last
    client.turn(body={"previous_response_id": "resp_of_somebody"}, keep=False)
    assert client.last == known
    client.does(shell("c2", "cat a.py"), CONTENT)
    client.turn()
    assert kinds(client.driver)[1] is ExchangeKind.UNOBSERVABLE
    assert client.driver.run.labels() == {"c1": "acquisition", "c2": "repeat_visible"}


def test_a_retried_call_of_a_chain_is_the_same_history_again() -> None:
    client = Chained(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    client.turn(status=529, answer=OVERLOADED, keep=False)
    client.turn(keep=False)
    client.turn()
    turns = client.driver.run.of(TurnFact)
    assert [turn.relation for turn in turns] == ["first", "extends", "retried"]
    assert [exchange.attempt for exchange in client.driver.run.of(ExchangeFact)] == [1, 1, 2, 1]


def test_a_whole_history_that_is_sent_beside_the_reply_it_continues_is_seen_twice_by_the_model() -> None:
    client = a_chain()
    client.does(shell("c1", "cat a.py"), CONTENT)
    whole = list(client.items)
    client.turn(body={"input": whole})
    assert client.driver.run.relations == ["first", "extends"]
    assert len(client.driver.run.of(ObservationFact)) == 1
    assert client.driver.run.boundaries == []


def test_what_ids_look_like_does_not_make_a_state_grow() -> None:
    client = a_chain()
    for number in range(8):
        client.does(shell(f"c{number}", "ls"), "a.py")
        client.last = client.last + "x" * 200_000
        client.turn(id=client.last, keep=False, body={"previous_response_id": None, "input": client.items})
        client.sent = len(client.items)
        client.items.append(asked("more"))
    parts = next(iter(client.driver.parts.values()))
    assert sum(map(len, parts.values())) < 20_000


def test_a_conversation_may_have_the_id_of_a_reply() -> None:
    client = a_chain()
    client.turn(id="same")
    client.items = [asked("something else")]
    client.turn(
        id="resp_2", keep=False, body={"conversation": "same", "previous_response_id": None, "input": client.items}
    )
    client.items = [asked("go on")]
    client.turn(
        id="resp_3", keep=False, body={"conversation": "same", "previous_response_id": None, "input": client.items}
    )
    assert client.driver.run.relations == ["first", "first", "extends"]


def test_a_prewarm_that_fails_leaves_nothing_to_go_on_from() -> None:
    client = a_chain()
    client.turn(
        body={"generate": False}, keep=False, output=[], id="warm", status="failed", error={"code": "server_error"}
    )
    client.last = ""
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.turn()
    assert kinds(client.driver) == [ExchangeKind.ATTEMPT, ExchangeKind.TURN, ExchangeKind.TURN]
    assert client.driver.run.labels() == {"c1": "acquisition"}
    client.last = "warm"
    client.items.append(asked("go on"))
    client.turn()
    assert kinds(client.driver)[-1] is ExchangeKind.UNOBSERVABLE


def test_results_that_only_a_prewarm_brought_are_judged_by_what_they_say() -> None:
    client = ResponsesClient(Driver(), chained=True, socket=True)
    client.items.append(asked("fix the test"))
    for number in (1, 2):
        client.turn(shell(f"c{number}", "cat a.py"))
        client.items.append(shown(f"c{number}", CONTENT, chunk=f"x{number}"))
        warm(client)
    client.turn()
    run = client.driver.run
    assert run.labels() == {"c1": "acquisition", "c2": "repeat_visible"}
    assert all(turn.fresh_tokens_ref for turn in run.of(TurnFact))
    assert len({seen.content_sha256 for seen in run.of(ObservationFact)}) == 1


def test_a_session_that_is_resumed_by_a_prewarm_knows_what_was_read_before() -> None:
    client = ResponsesClient(Driver(), chained=True, socket=True)
    client.items += [asked("fix the test"), shell("c1", "cat a.py"), shown("c1", CONTENT)]
    warm(client)
    client.does(shell("c2", "cat a.py"), CONTENT)
    client.turn()
    assert client.driver.run.labels() == {"c2": "repeat_visible"}


def test_prewarms_of_one_turn_that_bring_different_results_mix_nothing_up() -> None:
    client = ResponsesClient(Driver(), chained=True, socket=True)
    for name in ("a.py", "b.py"):
        client.items = [asked("fix"), shell(f"c{name}", f"cat {name}"), shown(f"c{name}", "\n".join(a_file(name)))]
        client.last, client.sent = "", 0
        warm(client)
    client.does(shell("c2", "cat b.py"), "\n".join(a_file("b.py")))
    client.turn()
    assert client.driver.run.labels() == {"c2": "repeat_visible"}
    assert len(client.driver.run.of(ObservationFact)) == 3


def warm(client: ResponsesClient) -> None:
    """Send all that is new with a request for no output, and name its reply from now on."""
    client.turn(body={"generate": False}, output=[], usage=a_usage(900, 0), keep=False)
    client.last, client.sent = f"resp_{client.number}", len(client.items)


def opaque(number: int) -> Json:
    return {"type": "compaction", "encrypted_content": f"opaque{number}"}


@pytest.mark.parametrize("chained", [False, True])
def test_a_compaction_that_stands_in_every_request_is_one_boundary(*, chained: bool) -> None:
    client = ResponsesClient(Driver(), chained=chained)
    client.items.append(asked("fix the test"))
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.turn()
    client.compact()
    for number in range(3):
        client.does(shell(f"d{number}", "ls"), "a.py")
    client.turn()
    assert [boundary.turn for boundary in client.driver.run.boundaries] == [4]


@pytest.mark.parametrize("chained", [False, True])
def test_two_compactions_are_two_boundaries(*, chained: bool) -> None:
    client = ResponsesClient(Driver(), chained=chained)
    client.items.append(asked("fix the test"))
    for number in (1, 2):
        client.does(shell(f"c{number}", "cat a.py"), CONTENT)
        client.turn(opaque(number), shell(f"d{number}", "ls"))
        client.items.append(shown(f"d{number}", "a.py"))
    client.turn()
    run = client.driver.run
    assert [(b.kind, b.dropped_observations) for b in run.boundaries] == [
        (BoundaryKind.PROVIDER_COMPACTION, 1),
        (BoundaryKind.PROVIDER_COMPACTION, 2),
    ]
    assert run.labels()["c2"] == "reacquisition"


def test_a_compaction_that_the_client_edits_is_another_one() -> None:
    client = ResponsesClient(Driver())
    client.items.append(asked("fix the test"))
    client.turn(opaque(1))
    client.turn()
    client.items[2] = opaque(2)
    client.turn()
    assert len(client.driver.run.boundaries) == 2


@pytest.mark.parametrize("chained", [False, True])
def test_texts_of_the_user_stay_before_a_compaction_and_results_go(*, chained: bool) -> None:
    client = ResponsesClient(Driver(), chained=chained)
    kept = [{"type": "input_text", "text": CONTENT}, {"type": "input_image", "image_url": "data:,"}]
    client.items.append({"type": "message", "role": "user", "content": kept})
    client.does(shell("c1", "cat a.py"), CONTENT)
    client.does(shell("c2", "cat b.py"), "\n".join(a_file("b.py")))
    client.turn(opaque(1), shell("c3", "cat a.py"), shell("c4", "cat b.py"))
    client.items += [shown("c3", CONTENT), shown("c4", "\n".join(a_file("b.py")))]
    client.turn()
    labels = client.driver.run.labels()
    assert (labels["c3"], labels["c4"]) == ("repeat_visible", "reacquisition")


def test_a_chain_that_another_agent_takes_up_shows_it_what_the_first_one_read() -> None:
    client = Chained(Driver())
    client.user(text("go"))
    client.does(read("t1", "/repo/a.py"), numbered(a_file("a.py")))
    client.turn()
    client.headers["x-claude-code-agent-id"] = "kid"
    client.user(text("you are another one"))
    client.does(read("t2", "/repo/a.py"), numbered(a_file("a.py")))
    client.turn()
    assert client.driver.run.labels() == {"t1": "acquisition", "t2": "repeat_visible"}


def test_histories_are_the_same_on_both_sides_of_a_page() -> None:
    client = Chained(Driver())
    client.user(text("go"))
    for number in range(70):
        client.does(bash(f"t{number}", f"step {number}"), f"result {number} of some length")
        if number in (62, 63, 64):
            client.driver.restart()
    parts = next(iter(client.driver.parts.values()))
    assert sorted(name for name in parts if name.startswith("held/")) == ["held/000000", "held/000001"]
    assert set(client.driver.run.relations[1:]) == {"extends"}
