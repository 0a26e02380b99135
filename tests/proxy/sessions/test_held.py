"""Histories that a provider holds."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.ids import SessionId, ThreadId
from proxy.model.messages import Block, BlockKind, Message, Request
from proxy.sessions.held import Histories
from proxy.sessions.normalise import Unit, units
from proxy.sessions.signs import of_reply
from proxy.sessions.state import SessionState, load
from proxy.sessions.thread import Signature, Thread


def said(words: str) -> Message:
    return Message(role="user", blocks=(Block(kind=BlockKind.TEXT, raw={}, text=words),))


def a_request(*words: str, previous_id: str = "") -> Request:
    return Request(
        dialect="openai_responses",
        model="m",
        stream=False,
        system=(),
        messages=tuple(map(said, words)),
        tools=(),
        metadata={},
        previous_id=previous_id,
    )


def words_of(block: Block) -> int:
    return len(block.text.split())


def whole(histories: Histories, reply: str) -> list[Unit] | None:
    found = histories.complete(a_request(previous_id=reply), [])
    return found.units if found else None


def test_what_is_new_stands_behind_what_is_held() -> None:
    histories = Histories()
    histories.add(of_reply("r1"), "", units(a_request("one", "two words").messages), words_of)
    request = a_request("three", previous_id="r1")
    found = histories.complete(request, units(request.messages))
    assert found is not None
    assert [unit.tokens for unit in found.units] == [1, 2, None]
    assert [message.is_remembered for message in found.request.messages] == [True, True, False]


def test_a_request_that_continues_nothing_stays_itself() -> None:
    request = a_request("one")
    found = Histories().complete(request, [])
    assert found is not None
    assert found.request is request


def test_no_text_is_kept_but_a_known_opening() -> None:
    histories = Histories()
    opening = "This session is being continued from a previous conversation that ran out of context."
    histories.add(of_reply("r1"), "", units(a_request(f"{opening} secret", "private").messages), words_of)
    assert [unit.opening for unit in histories.by_reply[of_reply("r1")].units] == [opening, ""]
    assert "secret" not in repr(histories)
    assert "private" not in repr(histories)


HISTORY = st.lists(st.sampled_from("abc"), max_size=6)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(HISTORY, st.integers(0, 200)), min_size=1, max_size=100))
def test_any_tree_of_histories_comes_back_from_bytes_as_it_was(told: list[tuple[list[str], int]]) -> None:
    state = SessionState(SessionId("s"))
    thread = Thread(id=ThreadId("main"), agent="", kind="main", signature=Signature("", "", ""))
    state.threads[thread.id] = thread
    parts: dict[str, bytes] = {}
    known: list[list[str]] = []
    for number, (more, base) in enumerate(told):
        history = [*known[base % len(known)], *more] if known and base % 3 else more
        known.append(history)
        request = a_request(*history)
        state.hold(request, f"r{number}", thread, units(request.messages), words_of)
        parts |= state.take_changes()
    for kept in (state, load(state.session, parts)):
        for number, history in enumerate(known):
            found = whole(kept.histories, f"r{number}")
            assert found is not None
            assert [unit.digest for unit in found] == [unit.digest for unit in units(a_request(*history).messages)]
