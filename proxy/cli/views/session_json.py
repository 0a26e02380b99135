"""One session for programs. Names carry their units; the form is written down in docs/session-json.md."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

import orjson

from proxy.ledger.bill import Bill
from proxy.model.facts import CallFact
from proxy.story.audit import precisions
from proxy.story.naming import name_of_call
from proxy.story.story import Story

FORMAT, VERSION = "compaction-gate session", 1
LINES = ("summary", "rewrite", "exact", "partial", "attempted")
MODELLED = ("saved_per_turn_pico_usd", "pays_back_after", "net_pico_usd")
"""Members of a bill that no traffic shows; every other figure is observed (V25)."""


def session_object(story: Story, *, now_us: int) -> dict[str, Any]:
    """Everything that is known of the session, facts as stored and bills beside their boundaries."""
    money = story.cost
    return {
        "format": FORMAT,
        "version": VERSION,
        "as_of_us": now_us,
        "labels": {"source": story.session.source, "method": "observed", "modelled": list(MODELLED)} | _audit(story),
        "session": _session(story),
        "totals": {
            "turns": len(story.turns),
            "boundaries": len(story.boundaries),
            "calls": len(story.calls),
            "unknown_calls": story.unknown_calls,
            "calls_by_class": {str(label): count for label, count in sorted(story.labels.items())},
            "exact_rereads": story.exact,
            "partial_rereads": story.partial,
            "retrievals_after_a_boundary": story.retrievals_after_a_boundary,
            "dropped_observations": sum(boundary.dropped_observations for boundary in story.boundaries),
            "pico_usd": money.pico_usd,
            "unpriced_samplings": money.unpriced,
        },
        "threads": [asdict(thread) for thread in story.threads],
        "turns": [asdict(turn) for turn in story.order],
        "iterations": [asdict(iteration) for iteration in story.iterations],
        "calls": [call_object(story, call) for call in story.calls],
        "observations": [asdict(observation) for observation in story.observations],
        "drops": [asdict(drop) for drop in story.drops],
        "boundaries": [boundary_object(number, bill) for number, bill in enumerate(story.bills, start=1)],
    }


def _audit(story: Story) -> dict[str, Any]:
    """How often people agree with the classes; null when nobody was asked."""
    told = [
        {"class": str(one.label), "audited": one.audited, "agreed": one.agreed, "interval": list(one.interval)}
        for one in precisions(story.audited)
    ]
    return {"audit": told or None}


def _session(story: Story) -> dict[str, Any]:
    row = asdict(story.session)
    row["door_effects"] = orjson.loads(row["door_effects"]) if row["door_effects"] else None
    return row


def call_object(story: Story, call: CallFact) -> dict[str, Any]:
    """A call as stored, with the name that `explain` understands."""
    because = orjson.loads(call.because) if call.because else None
    return {"name": name_of_call(story, call)} | asdict(call) | {"because": because}


def boundary_object(number: int, bill: Bill) -> dict[str, Any]:
    """A boundary as stored, with its bill."""
    figures = {
        field.name: getattr(bill, field.name) for field in fields(Bill) if field.name not in ("boundary", *LINES)
    }
    lines = {name: asdict(getattr(bill, name)) for name in LINES}
    return (
        {"name": f"b{number}"} | asdict(bill.boundary) | {"bill": lines | figures | {"net_pico_usd": bill.net_pico_usd}}
    )
