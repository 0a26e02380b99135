"""Calls that a client sends back under ids of its own: replies may come without ids, or with ones it does not take."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence

from proxy.ledger.content import arguments_text, digest_of
from proxy.model.ids import CallId
from proxy.model.messages import BlockKind
from proxy.sessions.normalise import Unit
from proxy.sessions.thread import Asked


def take_new_ids(asked: Sequence[Asked], fresh: Sequence[Unit]) -> None:
    """Give the calls that a request names nowhere the ids under which it holds the same tool with the same arguments.

    Args:
        asked: Waiting for an answer, in order.
        fresh: What the request holds beyond the history that is known.
    """
    blocks = [unit.block for unit in fresh if unit.block.kind in (BlockKind.CALL, BlockKind.RESULT)]
    named = {block.call_id for block in blocks}
    lost = [one for one in asked if one.call not in named]
    if not lost:
        return
    known = {one.call for one in asked}
    found: dict[tuple[str, str], deque[str]] = defaultdict(deque)
    for block in blocks:
        if block.kind is BlockKind.CALL and block.remembered is None and block.call_id not in known:
            found[block.tool, digest_of(arguments_text(block))].append(block.call_id)
    for one in lost:
        if same := found[one.tool, one.arguments_sha256]:
            one.call = CallId(same.popleft())
