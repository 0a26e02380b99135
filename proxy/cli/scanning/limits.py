"""Limits for a policy of the gate, proposed from the user's own history (validity V2, V40: never a default)."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from proxy.cli.scanning.account import Account
from proxy.model.facts import Label

LEAST = 20
"""Sessions below which the 95th percentile is none: one session in twenty lies above it."""
SHARES = (50, 90, 95)


class Limit(NamedTuple):
    """One key of the policy with what the history says of it."""

    key: str
    value: str
    """Empty when it is not measured."""
    why: str
    """n, unit and percentiles, or what is missing."""


def limits(accounts: Sequence[Account]) -> list[Limit]:
    """What can be proposed."""
    compacted = [one for one in accounts if one.compactions]
    return [_reacquisition(compacted), _unknown_tools(accounts)]


def _reacquisition(compacted: Sequence[Account]) -> Limit:
    key = "excess_reacquisition_tokens_max"
    about = (
        "reference tokens of exact re-reads per session with a compaction; a session stands for a run. Habit is not "
        f"taken off: before compactions {_habit(compacted)} of retrievals repeated what was still in view"
    )
    values = sorted(one.exact_tokens_ref for one in compacted)
    if len(values) < LEAST:
        return Limit(
            key, "", f"not measured: n = {len(values)} sessions with a compaction, {LEAST} are needed; {about}"
        )
    told = ", ".join(f"p{share} = {percentile(values, share):,}" for share in SHARES)
    return Limit(key, str(percentile(values, 95)), f"n = {len(values)}, {told}; {about}")


def _habit(accounts: Sequence[Account]) -> str:
    retrievals = sum(one.before.retrievals for one in accounts)
    repeats = sum(one.before.labels.get(Label.REPEAT_VISIBLE, 0) for one in accounts)
    return f"{100 * repeats / retrievals:.1f} %" if retrievals else "an unknown share"


def _unknown_tools(accounts: Sequence[Account]) -> Limit:
    key = "maximum_unknown_tools"
    calls, unknown = sum(one.calls for one in accounts), sum(one.unknown_calls for one in accounts)
    if not calls:
        return Limit(key, "", "not measured: no tool was called")
    share = unknown / calls
    return Limit(key, f"{ceil(share * 100) / 100:.2f}", f"{unknown:,} of {calls:,} calls were of tools without a rule")


def percentile(values: Sequence[int], share: int) -> int:
    """The least of sorted values that is not below `share` percent of them (nearest rank)."""
    return values[max(0, ceil(len(values) * share / 100) - 1)]
