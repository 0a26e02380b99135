"""What an observer has done since it started, as one small JSON file that is replaced atomically."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact
from proxy.model.ids import SessionId

REASONS = 50
"""Different reasons told apart; the rest are counted as `other` (they hold words of providers)."""
OPEN_SESSION_US = 15 * 60 * 1_000_000
"""A session is open while its last exchange is younger."""


@dataclass(slots=True)
class Tally:
    """Plain counters; one observer writes them."""

    started_us: int
    commits: int = 0
    known: int = 0
    """Exchanges read again after a restart and committed already."""
    conflicts: int = 0
    """Sessions that another observer had changed meanwhile."""
    internal_errors: int = 0
    """Exchanges that a journey raised on; stored as `unparsed`, reason `internal: …`."""
    parse_faults: int = 0
    """Exchanges of which a part could not be read."""
    store_errors: int = 0
    """Times the store or the data folder could not be written and had to be tried again."""
    store_error: str = ""
    """The last reason, until a commit stands again."""
    behind_since_us: int | None = None
    """When the exchange being worked on had ended; None = everything is committed. The lag is now less this."""
    exchanges: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind and reason."""
    last_seen_us: dict[SessionId, int] = field(default_factory=dict)
    """Sessions, with the time of their last exchange, the latest last."""

    def committed(self, fact: ExchangeFact, exchange: Exchange) -> None:
        """Count one exchange."""
        self.commits += 1
        self.parse_faults += fact.faults != ""
        key = (fact.kind.value, fact.reason)
        is_new = key not in self.exchanges and len(self.exchanges) >= REASONS
        self.exchanges[(fact.kind.value, "other") if is_new else key] += 1
        if fact.session is not None:
            self.last_seen_us.pop(fact.session, None)
            self.last_seen_us[fact.session] = ended_us(exchange)

    def report(self, now_us: int) -> dict[str, Any]:
        """Everything as JSON values."""
        self._forget_quiet(now_us)
        by_kind: dict[str, dict[str, int]] = {}
        for (kind, reason), count in sorted(self.exchanges.items()):
            by_kind.setdefault(kind, {})[reason] = count
        return {
            "pid": os.getpid(),
            "started_us": self.started_us,
            "written_us": now_us,
            "behind_since_us": self.behind_since_us,
            "lag_s": 0.0 if self.behind_since_us is None else max(0, now_us - self.behind_since_us) / 1_000_000,
            "commits": self.commits,
            "known": self.known,
            "conflicts": self.conflicts,
            "internal_errors": self.internal_errors,
            "parse_faults": self.parse_faults,
            "store_errors": self.store_errors,
            "store_error": self.store_error,
            "open_sessions": len(self.last_seen_us),
            "exchanges": by_kind,
        }

    def write(self, path: Path, now_us: int) -> None:
        """Replace the file (mode 0600); readers see the old or the new one."""
        draft = path.with_suffix(".draft")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(self.report(now_us), file)
        draft.replace(path)

    def _forget_quiet(self, now_us: int) -> None:
        quiet = [session for session, seen in self.last_seen_us.items() if seen < now_us - OPEN_SESSION_US]
        for session in quiet:
            del self.last_seen_us[session]


def ended_us(exchange: Exchange) -> int:
    """UTC microseconds when an exchange ended, as far as it is known."""
    return exchange.opened_us + (exchange.duration_us or 0)


def observer_snapshot(path: Path) -> dict[str, Any] | None:
    """What the observer last wrote (`Tally.report`); None when there is nothing readable."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
