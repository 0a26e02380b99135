"""Which calls are to be labelled by hand: seeded, stratified by class, in an order that tells nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from proxy.model.facts import CallFact, Label
from proxy.model.ids import SessionId, ThreadId

UNJUDGED = frozenset({Label.PENDING, Label.NO_RESULT})
"""Not answered: there is nothing to judge."""


class CallKey(NamedTuple):
    """The key of a call."""

    session: SessionId
    thread: ThreadId
    turn: int
    place: int
    """Its `index`, 0-based; a tuple has a method of that name."""


class Sample(NamedTuple):
    """A drawn sheet."""

    name: str
    """Digest of seed, size and population: the same again gives the same sheet."""
    calls: list[CallFact]


def key_of(call: CallFact) -> CallKey:
    """Its key."""
    return CallKey(call.session, call.thread, call.turn, call.index)


def draw(calls: Sequence[CallFact], *, size: int, seed: int) -> Sample:
    """As many calls of each class as can be had, `size` in all.

    Inside a class every call is drawn with the same chance, so that the precision of a class can be estimated.
    """
    population = sorted((call for call in calls if call.label not in UNJUDGED), key=key_of)
    strata = {label: [call for call in population if call.label is label] for label in Label}
    shares = _shares({label: len(found) for label, found in strata.items()}, size)
    chance = random.Random(f"{seed}")  # noqa: S311  a seeded draw, no secret
    drawn = [call for label, count in shares.items() for call in chance.sample(strata[label], count)]
    chance.shuffle(drawn)
    named = "\0".join([str(seed), str(size), *("/".join(map(str, key_of(call))) for call in population)])
    return Sample(sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16], drawn)


def _shares(sizes: dict[Label, int], size: int) -> dict[Label, int]:
    """Equal shares; what a small class leaves goes to the others, one by one in the order of the classes."""
    shares = dict.fromkeys(sizes, 0)
    left = min(size, sum(sizes.values()))
    while left:
        for label, count in sizes.items():
            if left and shares[label] < count:
                shares[label] += 1
                left -= 1
    return shares
