from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.faces.face import BadCallError
from proxy.scripted.faces.responses.memory import Memory, conversation_of
from proxy.scripted.faces.seals import Seals

ITEM = {"type": "message", "id": "msg_1", "role": "user", "content": "x"}


def parent(response_id: str) -> dict[str, Any]:
    return {"previous_response_id": response_id}


def test_a_socket_remembers_what_is_not_stored_and_nobody_else_does() -> None:
    shared = Memory(Seals(""))
    socket = shared.in_front()
    socket.keep({"store": False}, (ITEM,), {"id": "resp_1"})
    assert socket.history(parent("resp_1")) == (ITEM,)
    with pytest.raises(BadCallError):
        shared.history(parent("resp_1"))


def test_what_is_stored_outlives_the_socket() -> None:
    shared = Memory(Seals(""))
    shared.in_front().keep({}, (ITEM,), {"id": "resp_1"})
    assert shared.in_front().history(parent("resp_1")) == (ITEM,)
    assert shared.in_front().item("msg_1") == ITEM
    assert shared.document("resp_1") == {"id": "resp_1"}
    assert (shared.forget("resp_1"), shared.forget("resp_1")) == (True, False)


def test_a_conversation_grows_with_each_response() -> None:
    shared = Memory(Seals(""))
    shared.open_conversation("conv_1", [ITEM])
    asked = {"conversation": {"id": "conv_1"}}
    assert shared.in_front().history(asked) == (ITEM,)
    shared.keep(asked, (ITEM, ITEM), {"id": "resp_1"})
    assert len(shared.history(asked)) == 2


def test_a_conversation_is_named_by_its_id_or_in_an_object() -> None:
    assert [conversation_of({"conversation": each}) for each in ("c", {"id": "c"}, None)] == ["c", "c", ""]
