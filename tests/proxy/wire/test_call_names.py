from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.messages import Block, BlockKind, Message
from proxy.wire.call_names import UNNAMED, named, named_reply


def said(text: str, role: str = "user") -> Message:
    return Message(role=role, blocks=(Block(kind=BlockKind.TEXT, raw={}, text=text),))


def a_call(tool: str = "read", call: str = "", **arguments: object) -> Block:
    return Block(kind=BlockKind.CALL, raw={}, tool=tool, call_id=call, arguments=arguments)


def a_result(tool: str = "", call: str = "") -> Block:
    return Block(kind=BlockKind.RESULT, raw={}, tool=tool, call_id=call)


def asks(*calls: Block) -> Message:
    return Message(role="assistant", blocks=calls)


def answers(*results: Block) -> Message:
    return Message(role="tool", blocks=results)


def ids(messages: tuple[Message, ...]) -> list[str]:
    kinds = (BlockKind.CALL, BlockKind.RESULT)
    return [block.call_id for message in messages for block in message.blocks if block.kind in kinds]


def test_ids_of_their_own_stay_and_so_do_the_messages() -> None:
    history = [said("go"), asks(a_call(call="a"), a_call(call="b")), answers(a_result(call="b"), a_result(call="a"))]
    assert all(new is old for new, old in zip(named(history), history, strict=True))


def test_results_without_ids_answer_calls_without_ids_by_tool_and_order() -> None:
    calls = (a_call("read", path="1"), a_call("list"), a_call("read", path="2"))
    results = (a_result("list"), a_result("read"), a_result("read"))
    first, listing, second, *answered = ids(named([said("go"), asks(*calls), answers(*results)]))
    assert answered == [listing, first, second]
    assert len({first, listing, second}) == 3
    assert all(name.startswith(UNNAMED) for name in answered)


def test_a_result_with_an_id_of_the_client_answers_a_call_without_one() -> None:
    call, answered = ids(named([said("go"), asks(a_call("read")), answers(a_result("read", "read-17-a"))]))
    assert call == answered


def test_a_result_without_id_answers_the_next_open_call_that_has_one() -> None:
    calls = asks(a_call(call="a"), a_call(call="b"))
    assert ids(named([calls, answers(a_result(), a_result())])) == ["a", "b", "a", "b"]


def test_a_result_without_a_call_keeps_what_it_came_with() -> None:
    assert ids(named([answers(a_result("read", "x"), a_result("read"))])) == ["x", ""]


def test_a_call_that_nobody_answered_takes_no_later_result_by_order() -> None:
    history = [said("go"), asks(a_call("read", path="1")), said("stop", "assistant"), said("again")]
    names = ids(named([*history, asks(a_call("read", path="2")), answers(a_result("read"))]))
    assert names[2] == names[1] != names[0]


def test_the_same_call_again_has_another_name() -> None:
    one = (asks(a_call("read", path="1")), answers(a_result("read")))
    names = ids(named([said("go"), *one, *one, said("go"), *one]))
    assert len(set(names)) == 3
    assert names[0::2] == names[1::2]


def test_an_id_that_was_used_before_gets_a_number() -> None:
    one = (asks(a_call(call="call_0")), answers(a_result(call="call_0")))
    assert ids(named([*one, *one, *one])) == ["call_0"] * 2 + ["call_0~2"] * 2 + ["call_0~3"] * 2


def test_parallel_calls_with_one_id_are_answered_in_order() -> None:
    history = [asks(a_call(call="x", path="1"), a_call(call="x", path="2")), answers(a_result(call="x"))]
    assert ids(named([*history, answers(a_result(call="x"))])) == ["x", "x~2", "x", "x~2"]


def test_a_reply_names_its_calls_as_the_next_request_does() -> None:
    history = named([said("go"), asks(a_call(call="x")), answers(a_result(call="x"))])
    blocks = (a_call("read", path="1"), a_call("read", path="1"), a_call(call="x"))
    reply = named_reply(history, blocks)
    assert named([*history, asks(*blocks)])[-1].blocks == reply
    assert len({block.call_id for block in reply}) == 3


def test_a_reply_without_calls_is_left_as_it_is() -> None:
    blocks = said("done").blocks
    assert named_reply((), blocks) is blocks


def test_names_change_when_the_text_before_them_is_replaced() -> None:
    call = asks(a_call("read", path="1"))
    [before] = ids(named([said("go"), call]))
    [after] = ids(named([said("This is what was done so far."), call]))
    assert before != after


def test_what_a_result_says_does_not_change_the_names_after_it() -> None:
    long = replace(a_result("read"), text="a long text")
    cleared = replace(a_result("read"), text="[cleared]")
    told, masked = (
        ids(named([said("go"), asks(a_call("read")), answers(result), asks(a_call("list"))]))
        for result in (long, cleared)
    )
    assert told == masked


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    some_ids = st.sampled_from(["", "a", "a~2", "b"])
    tools = st.sampled_from(["read", "list"])
    calls = st.builds(a_call, tools, some_ids)
    results = st.builds(a_result, st.sampled_from(["", "read", "list"]), some_ids)
    turns = st.one_of(
        st.builds(said, st.sampled_from(["go", "on"])),
        st.lists(calls, min_size=1, max_size=3).map(lambda blocks: asks(*blocks)),
        st.lists(results, min_size=1, max_size=3).map(lambda blocks: answers(*blocks)),
    )
    return draw(st.lists(turns, max_size=8))


@given(histories(), st.integers(0, 8))
@settings(max_examples=150, deadline=None)
def test_names_do_not_depend_on_how_much_was_named_before(history: list[Message], at: int) -> None:
    whole = named(history)
    known = min(at, len(history))
    assert named([*whole[:known], *history[known:]], known=known) == whole
    calls = [block.call_id for message in whole for block in message.blocks if block.kind is BlockKind.CALL]
    assert len(calls) == len(set(calls))
    assert all(calls)


@given(histories())
@settings(max_examples=60, deadline=None)
def test_every_call_of_a_history_was_named_alike_when_it_was_a_reply(history: list[Message]) -> None:
    whole = named(history)
    for at, message in enumerate(history):
        if message.role == "assistant" and message.blocks[0].kind is BlockKind.CALL:
            assert named_reply(whole[:at], message.blocks) == whole[at].blocks


def test_very_many_open_calls_end() -> None:
    calls = asks(*[a_call("read", f"c{number}") for number in range(2000)])
    results = answers(*[a_result("", f"r{number}") for number in range(2000)])
    assert len(ids(named([calls, results]))) == 4000
