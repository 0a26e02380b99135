"""What a transcript tells: calls, and what is known of it beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import merge
from pathlib import Path
from typing import NamedTuple, Protocol

from proxy.journey.reading import Reading
from proxy.model.exchange import Exchange
from proxy.transcripts.lines import read_lines
from proxy.transcripts.timestamps import microseconds
from proxy.transcripts.trouble import Trouble
from proxy.wire.json_values import Json


class Told(NamedTuple):
    """One model call as a transcript tells it."""

    exchange: Exchange
    reading: Reading


@dataclass(slots=True, kw_only=True)
class Beside:
    """What a session's files told beside its calls."""

    marks: int = 0
    """Compactions that the client marked."""
    followed: int = 0
    """Of these: a call of the same history came after it."""
    implied: int = 0
    """Calls that wrote a summary, of which nothing is told but that they were made."""
    repeated: int = 0
    """Records that stood in another place before and were counted there."""
    open_outputs: int = 0
    """Replies whose usage was written before they had ended: their output tokens are a lower bound."""
    incomplete: int = 0
    """Calls whose history goes back behind a compaction of a session so large that it is not held any more."""
    failed: int = 0
    """Tries that the client tells to have failed."""
    replies: set[str] = field(default_factory=set)
    """Ids of the replies that were read."""


class Record(NamedTuple):
    """One record with its place."""

    at_us: int
    """Its time; of a record without one the time of those before it."""
    file: str
    line: int
    body: dict[str, Json]
    octets: int
    """That it takes in the file."""


class Reader(Protocol):
    """Makes calls of one session's records."""

    def take(self, record: Record) -> Iterator[Told]:
        """One record further."""
        ...

    def end(self) -> Iterator[Told]:
        """There is no further record."""
        ...


def read_calls(reader: Reader, files: Iterable[Path], trouble: Trouble) -> Iterator[Told]:
    """All calls of some files that are one history, their records in the order of time."""
    streams = [_records(file, place, trouble) for place, file in enumerate(files)]
    for _, _, _, record in streams[0] if len(streams) == 1 else merge(*streams):
        yield from reader.take(record)
    yield from reader.end()


def _records(file: Path, place: int, trouble: Trouble) -> Iterator[tuple[int, int, int, Record]]:
    latest, name = 0, str(file)
    for number, body, octets in read_lines(file, trouble):
        latest = max(latest, microseconds(body.get("timestamp")) or 0)
        yield latest, place, number, Record(latest, name, number, body, octets)
