"""Histories that a provider holds."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.model.ids import SessionId, ThreadId
from proxy.model.messages import Block, BlockKind, Message, Request, Tool
from proxy.sessions.held import Histories, Whole
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


def all_of(request: Request) -> Whole:
    return Whole(request, units(request.messages))


def whole(histories: Histories, reply: str) -> list[Unit] | None:
    found = histories.complete(a_request(previous_id=reply), [])
    return found.units if found else None


def test_what_is_new_stands_behind_what_is_held() -> None:
    histories = Histories()
    histories.add(of_reply("r1"), "", all_of(a_request("one", "two words")), words_of)
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
    histories.add(of_reply("r1"), "", all_of(a_request(f"{opening} secret", "private")), words_of)
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
        state.hold(all_of(request), f"r{number}", thread, words_of)
        parts |= state.take_changes()
    for kept in (state, load(state.session, parts)):
        for number, history in enumerate(known):
            found = whole(kept.histories, f"r{number}")
            assert found is not None
            assert [unit.digest for unit in found] == [unit.digest for unit in units(a_request(*history).messages)]


def test_tools_that_stay_are_offered_again_and_others_are_not() -> None:
    state = SessionState(SessionId("s"))
    thread = Thread(id=ThreadId("main"), agent="", kind="main", signature=Signature("", "", ""))
    state.threads[thread.id] = thread
    staying, leaving = Tool(name="exec", schema_sha256="a", stays=True, raw={}), Tool(name="ask", schema_sha256="b")
    state.hold(all_of(replace(a_request("one"), tools=(staying, leaving))), "r1", thread, words_of)
    state.hold(all_of(replace(a_request("one", "two"), tools=(staying,))), "r2", thread, words_of)
    again = load(state.session, state.take_changes()).histories
    for reply in ("r1", "r2"):
        found = again.complete(a_request(previous_id=reply), [])
        assert found is not None
        assert found.request.tools == (staying,)
    assert again.by_reply[of_reply("r2")].tools is None
