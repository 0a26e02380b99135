"""A call as a row: everything a person needs to judge it, and nothing of what the product made of it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from proxy.cli.auditing.sample import Sample
from proxy.model.facts import BoundaryFact, CallFact
from proxy.model.ids import CallId, SessionId
from proxy.story import figures

KEY_COLUMNS = ("sample", "session", "thread", "turn", "call")
TO_FILL = ("hand_label", "remark")
COLUMNS = (
    *KEY_COLUMNS, "tool", "resource", "span", "answered_turn", "is_error", "arguments_sha256", "result_sha256",
    "result_tokens_ref", "earlier_calls_of_the_resource", "boundaries_since_the_last_of_them", "arguments", "answer",
    *TO_FILL,
)  # fmt: skip
MOST_EARLIER, MOST_TEXT = 10, 2_000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""First characters that make a spreadsheet calculate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What is known of the sessions on the sheet."""

    calls: Mapping[SessionId, Sequence[CallFact]]
    boundaries: Mapping[SessionId, Sequence[BoundaryFact]]
    arguments: Mapping[SessionId, Mapping[CallId, Mapping[str, Any]]]
    """Empty below a full capture, as are the answers."""
    answers: Mapping[SessionId, Mapping[CallId, str]]


def sheet(sample: Sample, known: Surroundings) -> str:
    """The CSV file: a header, one row for each call, in an order that tells nothing."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for call in sample.calls:
        writer.writerow({name: _inert(text) for name, text in _row(sample.name, call, known).items()})
    return out.getvalue()


def _row(name: str, call: CallFact, known: Surroundings) -> dict[str, str]:
    earlier = [one for one in known.calls[call.session] if _is_earlier(one, call)]
    given = known.arguments[call.session].get(call.call)
    return {
        "sample": name,
        "session": call.session,
        "thread": call.thread,
        "turn": str(call.turn),
        "call": str(call.index + 1),
        "tool": call.tool,
        "resource": call.resource,
        "span": call.span,
        "answered_turn": "" if call.answered_turn is None else str(call.answered_turn),
        "is_error": "yes" if call.is_error else "no",
        "arguments_sha256": call.arguments_sha256,
        "result_sha256": call.result_sha256,
        "result_tokens_ref": "" if call.result_tokens_ref is None else str(call.result_tokens_ref),
        "earlier_calls_of_the_resource": "; ".join(_earlier(earlier, call, known)),
        "boundaries_since_the_last_of_them": str(_between(earlier[-1], call, known)) if earlier else "",
        "arguments": "" if given is None else orjson.dumps(given).decode()[:MOST_TEXT],
        "answer": known.answers[call.session].get(call.call, "")[:MOST_TEXT],
        **dict.fromkeys(TO_FILL, ""),
    }


def _is_earlier(one: CallFact, call: CallFact) -> bool:
    same = bool(call.resource) and one.resource == call.resource
    return same and one.thread == call.thread and (one.turn, one.index) < (call.turn, call.index)


def _earlier(found: Sequence[CallFact], call: CallFact, known: Surroundings) -> Iterator[str]:
    if len(found) > MOST_EARLIER:
        yield f"{len(found) - MOST_EARLIER} before these"
    for one in found[-MOST_EARLIER:]:
        span = f":{one.span}" if one.span else ""
        result = f"result {one.result_sha256[:12]}" if one.result_sha256 else "no result"
        between = figures.plural(_between(one, call, known), "boundary", "boundaries")
        yield f"t{one.turn}:c{one.index + 1} {one.tool}{span} {result}, {between} between"


def _between(one: CallFact, call: CallFact, known: Surroundings) -> int:
    return sum(
        boundary.thread == call.thread and one.turn < boundary.turn <= call.turn
        for boundary in known.boundaries[call.session]
    )


def _inert(text: str) -> str:
    text = text.replace("\0", "\ufffd")
    return f"'{text}" if text.startswith(_FORMULA) else text
