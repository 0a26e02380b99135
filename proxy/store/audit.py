"""Labels that people gave to calls (V46). They are no facts: nothing of the journey is changed by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from proxy.model.facts import Label
from proxy.model.ids import SessionId, ThreadId
from proxy.store.database import Database
from proxy.store.schema import AUDIT_LABELS
from proxy.store.writer import INSERT


@dataclass(frozen=True, slots=True, kw_only=True)
class HandLabel:
    """One call, labelled."""

    session: SessionId
    thread: ThreadId
    turn: int
    index: int
    sample: str
    """Digest of the sheet it stood on."""
    product_label: Label
    hand_label: Label
    imported_us: int


def keep_hand_labels(database: Database, labels: Sequence[HandLabel]) -> None:
    """Write all of them in one transaction; a later label of the same call replaces the earlier one.

    Raises:
        StoreUnavailableError: nothing was written, a retry may work.
    """
    if not labels:
        return
    key = [column.name for column in AUDIT_LABELS.primary_key]
    insert = INSERT[database.dialect](AUDIT_LABELS)
    rest = {column.name: insert.excluded[column.name] for column in AUDIT_LABELS.c if column.name not in key}
    rows = [asdict(one) for one in labels]
    for row in rows:
        row |= {"product_label": str(row["product_label"]), "hand_label": str(row["hand_label"])}
    with database.writing() as connection:
        connection.execute(insert.on_conflict_do_update(index_elements=key, set_=rest), rows)
