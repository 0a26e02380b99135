from __future__ import annotations

import json

import pytest

from proxy.framing.framer import Data, ResponseFramer
from proxy.framing.head import ResponseHead
from proxy.relay.refusals import Kind, refusal


@pytest.mark.parametrize("kind", Kind)
def test_every_refusal_is_shaped_like_a_providers_error_and_marked_as_ours(kind: Kind) -> None:
    framer = ResponseFramer()
    head = framer.receive(refusal(kind, "it's so"))
    body = framer.next_event()
    assert isinstance(head, ResponseHead)
    assert isinstance(body, Data)
    assert head.status in {400, 404, 431, 502, 504}
    assert b"x-compaction-gate-error: " + kind.value.encode() in head.lines
    assert (head.keep_alive, body.last, framer.held) == (False, True, 0)
    told = json.loads(bytes(body.payload))
    assert told["type"] == "error"
    assert told["error"]["type"].endswith("_error")
    assert told["error"]["message"].startswith("compaction-gate: ")
    assert told["error"]["message"].endswith(": it's so.")
    assert told["error"]["code"] == f"compaction_gate_{kind.value}"


def test_a_refused_head_request_is_told_the_length_only() -> None:
    whole = refusal(Kind.NO_UPSTREAM)
    assert whole.startswith(refusal(Kind.NO_UPSTREAM, with_body=False))
    assert refusal(Kind.NO_UPSTREAM, with_body=False).endswith(b"\r\n\r\n")
