"""Facts at rest, in SQLite or PostgreSQL: the only SQLAlchemy.

schema     one table per fact class, derived from its annotations; what the migrations build
migration  brings a store to this version, or says that it is newer
database   opens, begins and ends transactions, maps foreign errors
rows       a fact to a row and back
writer     one transaction per finished exchange, exactly once
reader     typed facts and exact sums of one snapshot
dump       all facts as lines, byte for byte reproducible
audit     labels that people gave to calls
size, retention, verify   what it takes, what leaves it, what must hold
"""

from proxy.store.audit import HandLabel, keep_hand_labels
from proxy.store.database import Database, open_database
from proxy.store.dump import dump
from proxy.store.errors import StateConflictError, StoreUnavailableError, UnstorableError
from proxy.store.reader import Reader, Total, snapshot
from proxy.store.retention import Removed, Retention, forget, prune
from proxy.store.size import Size, size
from proxy.store.verify import Problem, verify
from proxy.store.writer import Commit, Content, LoadedState, StateChange, Writer

__all__ = [
    "Commit",
    "Content",
    "Database",
    "HandLabel",
    "LoadedState",
    "Problem",
    "Reader",
    "Removed",
    "Retention",
    "Size",
    "StateChange",
    "StateConflictError",
    "StoreUnavailableError",
    "Total",
    "UnstorableError",
    "Writer",
    "dump",
    "forget",
    "keep_hand_labels",
    "open_database",
    "prune",
    "size",
    "snapshot",
    "verify",
]
