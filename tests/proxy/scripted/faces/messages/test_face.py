from __future__ import annotations

from proxy.scripted.faces.messages.face import error, message


def test_a_message_without_usage_or_edits_does_not_name_them() -> None:
    bare = message(message_id="msg_1", model="m", blocks=[], stop_reason="end_turn", usage=None, edits=[])
    assert {"usage", "context_management"}.isdisjoint(bare)


def test_an_error_names_its_request() -> None:
    assert error("overloaded_error", "text", "req_1")["request_id"] == "req_1"
