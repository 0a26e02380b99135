"""Looks for damage and for figures that contradict each other."""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import zstandard
from sqlalchemy import Connection, select, text

from proxy.store.database import Database
from proxy.store.schema import CONTENTS

CHECKS: dict[str, str] = {
    "every exchange of kind `turn` has its turn, and no other has": """
        SELECT e.writer, e.number, e.part FROM exchanges AS e
        LEFT JOIN turns AS t ON t.writer = e.writer AND t.number = e.number AND t.part = e.part
        WHERE (e.kind = 'turn') <> (t.session IS NOT NULL)
           OR (t.session IS NOT NULL AND (t.session <> e.session OR t.thread <> e.thread OR t.turn <> e.turn))""",
    "the boundary a call is charged to exists": """
        SELECT c.session, c.thread, c.turn, c."index" FROM calls AS c
        LEFT JOIN boundaries AS b ON b.session = c.session AND b.thread = c.thread AND b.boundary = c.boundary
        WHERE c.boundary IS NOT NULL AND b.session IS NULL""",
    "what was reacquired had been dropped by that boundary (S0-58)": """
        SELECT c.session, c.thread, c.turn, c."index" FROM calls AS c
        LEFT JOIN drops AS d ON d.session = c.session AND d.thread = c.thread AND d.boundary = c.boundary
            AND d.observation = c.repeats
        WHERE c.label = 'reacquisition' AND d.session IS NULL""",
    "the observations a call made or repeats exist": """
        SELECT c.session, c.thread, c.turn, c."index" FROM calls AS c
        LEFT JOIN observations AS o ON o.session = c.session AND o.observation = c.observation
        LEFT JOIN observations AS r ON r.session = c.session AND r.observation = c.repeats
        WHERE (c.observation IS NOT NULL AND o.session IS NULL) OR (c.repeats IS NOT NULL AND r.session IS NULL)""",
    "lines restored after a boundary are not more than it dropped (V4; by tokens, one of slack per line)": """
        SELECT c.session, c.thread, c.boundary FROM calls AS c
        WHERE c.label IN ('subset', 'superset', 'overlap', 'variant') AND c.boundary IS NOT NULL
        GROUP BY c.session, c.thread, c.boundary
        HAVING SUM(c.reread_tokens_ref) > (
            SELECT COALESCE(SUM(o.tokens_ref + o.line_count), 0) FROM drops AS d
            INNER JOIN observations AS o ON o.session = d.session AND o.observation = d.observation
            WHERE d.session = c.session AND d.thread = c.thread AND d.boundary = c.boundary)""",
    "no count of tokens is negative, and reasoning is a part of output": """
        SELECT writer, number, part, iteration FROM iterations
        WHERE uncached < 0 OR cache_read < 0 OR cache_write_5m < 0 OR cache_write_1h < 0 OR cache_write_30m < 0
           OR cache_write_12h < 0 OR output < 0 OR reasoning < 0 OR reasoning > output""",
    "an iteration is priced, or says why not": """
        SELECT writer, number, part, iteration FROM iterations WHERE (pico_usd IS NULL) <> (unpriced <> '')""",
    "a turn's context is the billed input of its last sampling": """
        SELECT t.session, t.thread, t.turn FROM turns AS t
        INNER JOIN iterations AS i ON i.writer = t.writer AND i.number = t.number AND i.part = t.part
        WHERE i.kind IN ('message', 'fallback_message')
          AND t.context_tokens <> i.uncached + i.cache_read + i.cache_write_5m + i.cache_write_1h
              + i.cache_write_30m + i.cache_write_12h
          AND i.iteration = (SELECT MAX(l.iteration) FROM iterations AS l WHERE l.writer = t.writer
              AND l.number = t.number AND l.part = t.part AND l.kind IN ('message', 'fallback_message'))""",
    "a turn without usage has no context size": """
        SELECT session, thread, turn FROM turns WHERE usage_missing AND context_tokens IS NOT NULL""",
    "every kept content is used": """
        SELECT k.sha256 FROM contents AS k LEFT JOIN content_uses AS u ON u.sha256 = k.sha256 WHERE u.sha256 IS NULL""",
}
"""Sentence that must hold → query of the keys for which it does not. Read by both dialects."""


class Problem(NamedTuple):
    """Something that must hold and does not."""

    rule: str
    rows: int
    example: str
    """Key of the first offending row."""


def verify(database: Database) -> list[Problem]:
    """Check the file, the references and the figures; empty when all is well."""
    with database.reading() as connection:
        found = list(_damage(connection)) if connection.dialect.name == "sqlite" else []
        for rule, query in CHECKS.items():
            rows = connection.execute(text(query)).all()
            if rows:
                found.append(Problem(rule, len(rows), "/".join(map(str, min(rows)))))
        return found + _garbled_contents(connection)


def _damage(connection: Connection) -> list[Problem]:
    integrity = [row[0] for row in connection.exec_driver_sql("PRAGMA integrity_check") if row[0] != "ok"]
    orphans = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
    found = [Problem("the file is undamaged (integrity_check)", len(integrity), integrity[0])] if integrity else []
    if orphans:
        table, row, parent, _ = orphans[0]
        found.append(
            Problem("every fact has its parents (foreign_key_check)", len(orphans), f"{table} row {row} → {parent}")
        )
    return found


def _garbled_contents(connection: Connection) -> list[Problem]:
    query = select(CONTENTS).order_by(CONTENTS.c.sha256).execution_options(yield_per=100)
    garbled = [
        row.sha256 for row in connection.execute(query) if not _is_whole(row.sha256, row.packed, redacted=row.redacted)
    ]
    return [Problem("every kept content is what its digest says", len(garbled), garbled[0])] if garbled else []


def _is_whole(sha256: str, packed: bytes, *, redacted: bool) -> bool:
    try:
        data = zstandard.decompress(packed)
    except zstandard.ZstdError:
        return False
    return redacted or hashlib.sha256(data).hexdigest() == sha256
