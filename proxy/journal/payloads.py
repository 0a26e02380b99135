"""What stands inside each part of a record, in both directions. No I/O; little-endian throughout."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from struct import Struct, unpack_from
from typing import NamedTuple

from proxy.journal.layout import Buffer
from proxy.model.exchange import Headers, Outcome

HeaderLines = Sequence[tuple[str, str]]

_OPEN = Struct("<qq")
_RESPONSE = Struct("<qI")
_CLOSE = Struct("<qQQB")
_COUNT = Struct("<I")
_ONE_PIECE = Struct("<IIq")
_OUTCOMES = (
    Outcome.COMPLETE,
    Outcome.CLIENT_CLOSED,
    Outcome.UPSTREAM_CUT,
    Outcome.REFUSED,
    Outcome.SHUTDOWN,
    Outcome.CUT,
)
_OUTCOME_CODES = {outcome: code for code, outcome in enumerate(_OUTCOMES)}


class OpenHead(NamedTuple):
    """What is known when a request head is complete. All secrets are already redacted."""

    wall_us: int
    """UTC microseconds."""
    mono_ns: int
    upstream: str
    door: str
    tag: str
    """Digest of the run tag; empty without one."""
    method: str
    target: str
    headers: HeaderLines


def _encode_lines(fixed: tuple[str, ...], headers: HeaderLines) -> bytes:
    text = "\n".join(chain(fixed, chain.from_iterable(headers)))
    if text.count("\n") != len(fixed) + 2 * len(headers) - 1:
        # No field of a well-formed head holds a line feed; whatever comes, the count of lines stays right.
        text = "\n".join(field.replace("\n", " ") for field in chain(fixed, chain.from_iterable(headers)))
    return text.encode("utf-8", "surrogatepass")


def _decode_lines(raw: Buffer, fixed: int) -> tuple[list[str], Headers]:
    fields = str(raw, "utf-8", "surrogatepass").split("\n")
    return fields[:fixed], tuple(zip(fields[fixed::2], fields[fixed + 1 :: 2], strict=True))


def encode_open(head: OpenHead) -> bytes:
    """Payload of an open part: two times, then one field per line."""
    fixed = (head.upstream, head.door, head.tag, head.method, head.target)
    return _OPEN.pack(head.wall_us, head.mono_ns) + _encode_lines(fixed, head.headers)


def decode_open(payload: Buffer) -> OpenHead:
    """Read the payload of an open part."""
    wall_us, mono_ns = _OPEN.unpack_from(payload)
    (upstream, door, tag, method, target), headers = _decode_lines(payload[_OPEN.size :], 5)
    return OpenHead(
        wall_us=wall_us,
        mono_ns=mono_ns,
        upstream=upstream,
        door=door,
        tag=tag,
        method=method,
        target=target,
        headers=headers,
    )


class ResponseHead(NamedTuple):
    """Final response head and when it came."""

    mono_ns: int
    status: int
    headers: Headers


def encode_response(status: int, headers: HeaderLines, mono_ns: int) -> bytes:
    """Payload of a response part: time, status, then one field per line."""
    return _RESPONSE.pack(mono_ns, status) + (_encode_lines((), headers) if headers else b"")


def decode_response(payload: Buffer) -> ResponseHead:
    """Read the payload of a response part."""
    mono_ns, status = _RESPONSE.unpack_from(payload)
    lines = payload[_RESPONSE.size :]
    return ResponseHead(mono_ns, status, _decode_lines(lines, 0)[1] if lines else ())


def _little(numbers: array[int]) -> bytes:
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers.tobytes()


def encode_pieces(lengths: Iterable[int], times_ns: Sequence[int]) -> bytes:
    """Table before the bytes of a request or reply part: how many pieces, their lengths, their monotonic times."""
    if len(times_ns) == 1:  # by far the most frequent, and six times as fast
        return _ONE_PIECE.pack(1, *lengths, *times_ns)
    return _COUNT.pack(len(times_ns)) + _little(array("I", lengths)) + _little(array("q", times_ns))


def pieces_size(payload: Buffer) -> int:
    """Bytes of the table before the body bytes of a request or reply part."""
    return int(_COUNT.size + _COUNT.unpack_from(payload)[0] * (array("I").itemsize + array("q").itemsize))


def decode_pieces(payload: Buffer) -> Iterator[tuple[int, bytes]]:
    """Pieces of a request or reply part as they arrived: monotonic ns, bytes."""
    (count,) = _COUNT.unpack_from(payload)
    lengths = unpack_from(f"<{count}I", payload, _COUNT.size)
    times_ns = unpack_from(f"<{count}q", payload, _COUNT.size + 4 * count)
    at = pieces_size(payload)
    for length, mono_ns in zip(lengths, times_ns, strict=True):
        yield mono_ns, bytes(payload[at : at + length])
        at += length


class Ending(NamedTuple):
    """How an exchange ended."""

    mono_ns: int
    request_lost: int
    """Body bytes relayed and not recorded."""
    response_lost: int
    outcome: Outcome


def encode_close(ending: Ending) -> bytes:
    """Payload of a close part."""
    return _CLOSE.pack(ending.mono_ns, ending.request_lost, ending.response_lost, _OUTCOME_CODES[ending.outcome])


def decode_close(payload: Buffer) -> Ending:
    """Read the payload of a close part."""
    mono_ns, request_lost, response_lost, code = _CLOSE.unpack(payload)
    return Ending(mono_ns, request_lost, response_lost, _OUTCOMES[code])


def encode_lost(exchanges: Iterable[int]) -> bytes:
    """Payload of a record of lost exchanges: the numbers of the exchanges."""
    return _little(array("Q", exchanges))


def decode_lost(payload: Buffer) -> tuple[int, ...]:
    """Read the payload of a record of lost exchanges."""
    numbers = array("Q", bytes(payload))
    if sys.byteorder == "big":
        numbers.byteswap()
    return tuple(numbers)
