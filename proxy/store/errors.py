"""What a store can refuse. Foreign errors are mapped once, in `database`; none of these texts holds a stored value.

GateError
├── CannotWriteError
│   └── StoreUnavailableError   full or failing disk, lost server, lock not obtained: the same call may succeed later
├── UnstorableError             the values themselves: a retry would fail again
└── StateConflictError          another observer changed the session meanwhile: load its state and observe again
"""

from __future__ import annotations

from proxy.model.errors import CannotWriteError, GateError


class StoreUnavailableError(CannotWriteError):
    """The store cannot be used just now; nothing of the failed call was kept."""


class UnstorableError(GateError):
    """Values that no retry will make storable: an integer beyond 64 bits, a fact without its parent."""


class StateConflictError(GateError):
    """The session's state is not the version that the caller observed from; nothing was written."""
