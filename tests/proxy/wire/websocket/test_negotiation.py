from __future__ import annotations

import pytest

from proxy.wire.websocket.negotiation import Compression, UnreadableError, negotiated


def answered(*values: str) -> Compression | None:
    return negotiated(tuple(("Sec-WebSocket-Extensions", value) for value in values))


def test_without_an_answer_frames_are_plain() -> None:
    assert negotiated((("upgrade", "websocket"),)) is None
    assert answered("", " , ") is None


@pytest.mark.parametrize(
    ("value", "client_takeover", "server_takeover"),
    [
        ("permessage-deflate", True, True),
        ("Permessage-Deflate; server_no_context_takeover", True, False),
        ("permessage-deflate;client_no_context_takeover ; server_max_window_bits=10", False, True),
        ('permessage-deflate; client_max_window_bits="8"; server_no_context_takeover', True, False),
    ],
)
def test_takeover_is_told_for_each_side(value: str, client_takeover: bool, server_takeover: bool) -> None:
    assert answered(value) == Compression(client_takeover, server_takeover)


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (("x-mux",), "x-mux"),
        (("permessage-deflate, x-mux; a=1",), "x-mux"),
        (("permessage-deflate", "x-mux"), "x-mux"),
        (("a b\x7f" * 40,), "(no name)"),
        (("permessage-deflate, permessage-deflate",), "permessage-deflate twice"),
        (("permessage-deflate; server_max_window_bits=16",), "permessage-deflate parameters"),
        (("permessage-deflate; client_max_window_bits",), "permessage-deflate parameters"),
        (("permessage-deflate; server_no_context_takeover=1",), "permessage-deflate parameters"),
        (("permessage-deflate; server_max_window_bits=9; server_max_window_bits=9",), "permessage-deflate parameters"),
        (("permessage-deflate; a=1",), "permessage-deflate parameters"),
    ],
)
def test_what_is_not_known_is_named_and_not_read(values: tuple[str, ...], reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        answered(*values)
    assert caught.value.reason == f"websocket extension: {reason}"
