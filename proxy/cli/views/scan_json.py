"""A scan as one JSON object: docs/scan.md describes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from proxy.cli.scanning.account import Account, Charged, Reads
from proxy.cli.scanning.limits import Limit
from proxy.cli.scanning.overview import overview
from proxy.cli.scanning.work import Scan
from proxy.wiring.scan import SOURCE

FORMAT = "compaction-gate scan"
VERSION = 1


def scan_object(scan: Scan, *, as_of_us: int, limits: Sequence[Limit]) -> dict[str, Any]:
    """Everything that the scan found. Names carry their units; null is not measured."""
    found = overview(scan.accounts)
    return {
        "format": FORMAT,
        "version": VERSION,
        "as_of_us": as_of_us,
        "labels": {"source": SOURCE, "method": "observed", "modelled": ["saved_per_turn_pico_usd", "pays_back_after"]},
        "files": scan.files,
        "transcripts": scan.transcripts,
        "too_old": scan.too_old,
        "totals": {
            **{name: value for name, value in asdict(found).items() if name not in ("before", "after")},
            "before": _reads(found.before),
            "after": _reads(found.after),
        },
        "sessions": [_session(one) for one in scan.accounts],
        "limits": [limit._asdict() for limit in limits],
        "not_read": [{**asdict(entry), "place": entry.place} for entry in scan.trouble],
    }


def _session(one: Account) -> dict[str, Any]:
    return {
        "session": one.session.session,
        "name": one.name,
        "client": one.session.client,
        "client_version": one.session.client_version,
        "first_us": one.session.first_us,
        "last_us": one.session.last_us,
        "files": list(one.files),
        "turns": one.turns,
        "agents": one.agents,
        "calls": one.calls,
        "unknown_calls": one.unknown_calls,
        "pico_usd": one.pico_usd,
        "unpriced": one.unpriced,
        "usage_missing": one.usage_missing,
        "open_outputs": one.open_outputs,
        "incomplete": one.incomplete,
        "repeated": one.repeated,
        "marks": one.marks,
        "unfollowed": one.unfollowed,
        "unseen": one.unseen,
        "dropped": one.dropped,
        "reread_tokens_ref": one.reread_tokens_ref,
        "before": _reads(one.before),
        "after": _reads(one.after),
        "compactions": [_compaction(number, each) for number, each in enumerate(one.compactions, start=1)],
    }


def _reads(reads: Reads) -> dict[str, Any]:
    return {
        "retrievals": reads.retrievals,
        "by_class": {label.value: count for label, count in sorted(reads.labels.items())},
    }


def _compaction(number: int, each: Charged) -> dict[str, Any]:
    bill = each.bill
    return {
        "name": f"b{number}",
        **{key: value for key, value in asdict(bill.boundary).items() if key != "session"},
        "bill": {name: asdict(line) for name, line in each.lines.items()},
        "known_pico_usd": each.known_pico_usd,
        "untold": each.untold,
        "carried_less_tokens": bill.carried_less_tokens,
        "saved_per_turn_pico_usd": bill.saved_per_turn_pico_usd,
        "turns_followed": bill.turns_followed,
        "pays_back_after": each.pays_back_after,
        "net_pico_usd": each.net_pico_usd,
        "again": [{"resource": name, "times": count} for name, count in each.again],
    }
