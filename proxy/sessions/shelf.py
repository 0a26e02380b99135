"""One thread's observations, found by what they show; it follows from them and is never stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.model.ids import CallId, ObservationId
from proxy.sessions.thread import Seen


class Shelf:
    """Observations in order, those of branches that were left (`rewound`) passed over."""

    def __init__(self) -> None:
        self._all: list[Seen] = []
        self._by_key: dict[str, list[int]] = {}
        self._by_resource: dict[str, list[int]] = {}
        self._by_call: dict[CallId, list[Seen]] = {}
        self._by_unit: dict[bytes, list[Seen]] = {}

    def put(self, seen: Seen) -> None:
        """Take in the newest."""
        place = len(self._all)
        self._all.append(seen)
        self._by_key.setdefault(seen.key, []).append(place)
        for name in dict.fromkeys(seen.resources):
            self._by_resource.setdefault(name, []).append(place)
        self._by_call.setdefault(seen.call, []).append(seen)
        self._by_unit.setdefault(seen.unit, []).append(seen)

    def __iter__(self) -> Iterator[Seen]:
        return (seen for seen in self._all if not seen.rewound)

    def visible(self, shown: set[ObservationId], size: int) -> list[Seen]:
        """Of those that are shown: the ones with so many bytes of lines."""
        return [seen for seen in self._all if len(seen.lines) >= size and seen.id in shown and not seen.rewound]

    def akin(self, key: str, resources: Sequence[str]) -> list[Seen]:
        """Those of a canonical key or of one of some resources."""
        places = set(self._by_key.get(key, ()))
        places.update(*(self._by_resource.get(name, ()) for name in resources))
        return [seen for place in sorted(places) if not (seen := self._all[place]).rewound]

    def latest(self, key: str) -> Seen | None:
        """The last one of a canonical key."""
        places = reversed(self._by_key.get(key, ()))
        return next((seen for place in places if not (seen := self._all[place]).rewound), None)

    def has_call(self, call: CallId) -> bool:
        """Whether a call's result is among them."""
        return _has_living(self._by_call.get(call, ()))

    def has_unit(self, unit: bytes) -> bool:
        """Whether a result block of that digest showed one of them."""
        return _has_living(self._by_unit.get(unit, ()))

    def shown_by(self, unit: bytes) -> list[Seen]:
        """Those of a result block of that digest, on any branch."""
        return self._by_unit.get(unit, [])

    def left(self, unit: bytes) -> list[Seen]:
        """Those of a result block that were left with their branch."""
        return [seen for seen in self._by_unit.get(unit, ()) if seen.rewound]


def _has_living(found: Sequence[Seen]) -> bool:
    return False in [seen.rewound for seen in found]
