from __future__ import annotations

from proxy.scripted.faces.rows import Rows, call_block, result_block, text_block, tool_of


def test_neighbours_of_one_role_become_one_message_and_leading_system_texts_the_prompt() -> None:
    rows = Rows()
    rows.add("system", text_block("s"))
    rows.add("assistant", call_block("c1", "Read", {}))
    rows.add("assistant", call_block("c2", "Read", {}))
    rows.add("user", result_block("c1", "x"))
    rows.add("system", text_block("later"))
    assert rows.system == [text_block("s")]
    assert [(message["role"], len(message["content"])) for message in rows.messages] == [
        ("assistant", 2),
        ("user", 1),
        ("system", 1),
    ]


def test_what_a_tool_does_not_say_is_left_out() -> None:
    assert tool_of("f", None, {"type": "object"}) == {"name": "f", "input_schema": {"type": "object"}}
