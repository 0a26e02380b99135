from __future__ import annotations

import json

from proxy.wire.websocket.events import read_event
from proxy.wire.websocket.steering import STEERED_LIMIT, Steering
from tests.support.websocket import create, said

ASKED = create("do it", tools=[{"name": "t"}], instructions="be brief")


def steered(steering: Steering, text: object, parent: str = "r1") -> None:
    steering.queue(read_event(said("response.steer", previous_response_id=parent, input=text)), ASKED)


def begun(parent: str = "r1") -> bytes:
    return said("response.created", response={"id": "r2", "previous_response_id": parent})


def user(text: str) -> dict[str, str]:
    return {"type": "message", "role": "user", "content": text}


def test_a_successor_has_the_settings_of_the_steered_call_and_the_input_it_was_steered_with() -> None:
    steering = Steering()
    steered(steering, "not so")
    steered(steering, [user("but so"), user("and so")])
    request = steering.successor(read_event(begun()))
    assert request is not None
    assert json.loads(request) == {
        "type": "response.steer",
        "model": "m",
        "tools": [{"name": "t"}],
        "instructions": "be brief",
        "previous_response_id": "r1",
        "input": [user("not so"), user("but so"), user("and so")],
    }
    assert steering.successor(read_event(begun())) is None


def test_a_request_that_continues_a_steered_response_has_the_queued_input_before_its_own() -> None:
    steering = Steering()
    steered(steering, "also this")
    output = {"type": "function_call_output", "call_id": "c", "output": "4"}
    text = said("response.create", model="other", previous_response_id="r1", input=[output])
    joined = json.loads(steering.join(read_event(text), text))
    assert (joined["type"], joined["model"]) == ("response.create", "other")
    assert joined["input"] == [user("also this"), output]
    assert steering.join(read_event(text), text) == text


def test_a_request_that_continues_something_else_is_left_as_it_is() -> None:
    steering = Steering()
    steered(steering, "also this")
    assert steering.join(read_event(ASKED), ASKED) == ASKED


def test_what_the_server_gives_back_was_never_taken_up() -> None:
    steering = Steering()
    for text in ("one", "two"):
        steered(steering, text)
    for steer in ({"previous_response_id": "r1", "input": "one"}, {"previous_response_id": "r9", "input": "two"}, "?"):
        steering.give_back(read_event(said("response.steer.failed", steer=steer)))
    request = steering.successor(read_event(begun()))
    assert request is not None
    assert json.loads(request)["input"] == [user("two")]
    steered(steering, "three")
    steering.give_back(
        read_event(said("response.steer.failed", steer={"previous_response_id": "r1", "input": "three"}))
    )
    assert steering.successor(read_event(begun())) is None


def test_input_that_nobody_takes_up_is_not_kept_for_ever() -> None:
    steering = Steering()
    for number in range(STEERED_LIMIT + 1):
        steered(steering, "x", f"r{number}")
    assert steering.successor(read_event(begun("r0"))) is None
    assert steering.successor(read_event(begun("r1"))) is not None


def test_what_is_too_deep_to_be_written_again_is_left_where_it_is() -> None:
    deep: object = "x"
    for _ in range(300):
        deep = [deep]
    steering = Steering()
    steered(steering, deep)
    assert steering.successor(read_event(begun())) is None
    steered(steering, "also this")
    text = said("response.create", previous_response_id="r1", input=deep)
    assert steering.join(read_event(text), text) == text
