"""A session's state between two exchanges."""

from __future__ import annotations

from proxy.model.facts import ToolClass
from proxy.model.ids import CallId, ObservationId, SessionId, ThreadId
from proxy.sessions.state import PAGE, SessionState, load
from proxy.sessions.thread import Asked, Said, Seen, Signature, Thread

SESSION = SessionId("s" * 32)


def a_thread() -> Thread:
    thread = Thread(id=ThreadId("main"), agent="", kind="main", signature=Signature("t", "s", "n"))
    thread.history = bytes(range(16))
    thread.visible = {ObservationId("main/1.0")}
    thread.said = Said(writer="w", number=3, part=0, at_us=9, lines=b"12345678", asked_for=True, trigger="auto")
    thread.last_boundary = {"boundary": 1, "rolled_to": 4}
    thread.asked = [
        Asked(
            turn=2,
            index=0,
            call=CallId("c"),
            tool="Read",
            tool_class=ToolClass.RETRIEVAL,
            action="read",
            resources=["/a"],
            span="",
            key="read:/a:",
            polling=False,
            form="",
            rule="r",
            arguments_sha256="0",
            arguments_tokens_ref=1,
            suspected=True,
        )
    ]
    return thread


def a_seen(number: int) -> Seen:
    return Seen(
        id=ObservationId(f"main/{number}.0"),
        thread=ThreadId("main"),
        turn=number,
        call=CallId(f"c{number}"),
        tool_class=ToolClass.RETRIEVAL,
        key="k",
        resources=["/a"],
        span="",
        content_sha256="0",
        tokens_ref=5,
        unit=b"u" * 8,
        lines=b"l" * 16,
    )


def test_a_state_survives_its_bytes() -> None:
    state = SessionState(SESSION)
    state.note(7, "{}")
    state.threads[ThreadId("main")] = a_thread()
    state.touch(state.threads[ThreadId("main")])
    for number in range(PAGE + 3):
        state.add(a_seen(number))
    again = load(SESSION, state.take_changes())
    assert again.threads == state.threads
    assert again.seen == state.seen
    assert list(again.seen) == list(state.seen)
    assert (again.first_us, again.door_effects) == (7, "{}")


def test_only_what_changed_is_written() -> None:
    state = SessionState(SESSION)
    for number in range(PAGE + 3):
        state.add(a_seen(number))
    state.take_changes()
    state.touch_seen({ObservationId(f"main/{PAGE}.0")})
    assert list(state.take_changes()) == ["seen/000001"]
    assert state.take_changes() == {}


def test_equal_states_are_equal_bytes() -> None:
    parts = []
    for order in ((1, 2), (2, 1)):
        state = SessionState(SESSION)
        thread = a_thread()
        thread.visible = {ObservationId(f"main/{number}.0") for number in order}
        state.threads[thread.id] = thread
        state.touch(thread)
        parts.append(state.take_changes())
    assert parts[0] == parts[1]
