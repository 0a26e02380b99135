"""What the provider says it cleared of a request before it sampled (wire-formats 1.3)."""

from __future__ import annotations

from collections.abc import Sequence

from proxy.model.messages import BlockKind, Reply, Request
from proxy.sessions.normalise import Unit


def cleared(reply: Reply) -> int:
    """How many tool results the provider left out."""
    return sum(edit.cleared_tool_uses for edit in reply.edits)


def hidden(units: Sequence[Unit], results: Sequence[Unit], request: Request, reply: Reply) -> frozenset[str]:
    """The calls whose results it left out: it says their number, and clears the oldest of those it may."""
    tools = {unit.block.call_id: unit.block.tool for unit in units if unit.block.kind is BlockKind.CALL}
    kept = _excluded_tools(request)
    may_go = [unit.block.call_id for unit in results if tools.get(unit.block.call_id) not in kept]
    return frozenset(may_go[: cleared(reply)])


def _excluded_tools(request: Request) -> set[str]:
    management = request.metadata.get("context_management")
    edits = management.get("edits") if isinstance(management, dict) else None
    return {
        name
        for edit in (edits if isinstance(edits, list) else [])
        if isinstance(edit, dict) and isinstance(edit.get("exclude_tools"), list)
        for name in edit["exclude_tools"]
        if isinstance(name, str)
    }
