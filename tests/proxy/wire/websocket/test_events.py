from __future__ import annotations

import pytest

from proxy.wire.websocket.events import Event, read_event
from tests.support.websocket import said


def test_an_event_says_whose_it_is() -> None:
    text = said("response.created", response={"id": "r2", "previous_response_id": "r1"}, stream_id="b")
    event = read_event(text)
    assert event[:4] == ("response.created", "b", "r2", "r1")
    assert event.body["stream_id"] == "b"


def test_a_request_says_what_it_continues() -> None:
    assert read_event(said("response.create", previous_response_id="r1")).parent == "r1"


def test_bad_characters_do_not_hide_what_an_event_is() -> None:
    assert read_event(b'{"type": "error", "message": "\xff"}').type == "error"


@pytest.mark.parametrize("text", [b"", b"  ", b"[1]", b"{", b"null", b'{"type": 1, "response": [], "stream_id": {}}'])
def test_what_says_nothing_is_an_event_without_a_name(text: bytes) -> None:
    assert read_event(text)[:4] == Event("", "", "", "", {})[:4]
