"""A segment read by `docs/journal.md` alone: no line of the product's own reader is used."""

from __future__ import annotations

import struct
from pathlib import Path
from zlib import crc32

from proxy.journal.writer import JournalWriter
from tests.support.journal import MS, Play, StillClock, open_head, play, segments, small

ROOT = Path(__file__).parents[3]


def test_the_document_names_every_field_where_it_stands(tmp_path: Path) -> None:
    writer = JournalWriter(tmp_path, settings=small(), clock=StillClock())
    script = Play(request=(b"ab", b"c"), response=(b"defg",))
    play(writer, script)
    raw = segments(tmp_path)[0].read_bytes()

    magic, version, owner, _boot, generation = struct.unpack_from("<8sI16s16sI", raw, 0)
    segment, first, oldest, started, created, mono = struct.unpack_from("<QQQqqq", raw, 48)
    assert (magic, version, owner.hex()) == (b"CGATEJNL", 1, writer.writer_id)
    assert (segment, first, oldest) == (1, 1, 1)
    assert started == created == StillClock().wall_ns // 1000
    assert mono == StillClock().mono_ns
    assert struct.unpack_from("<I", raw, 124)[0] == crc32(raw[:124])

    crc, life, number, exchange, sequence, kind, flags = struct.unpack_from("<IIQQIBB", raw, 128)
    lengths = struct.unpack_from("<5I", raw, 128 + 32)
    assert (life, number, exchange, sequence, kind, flags) == (generation, 1, 1, 1, 1, 3)
    assert crc == crc32(raw[132 : 128 + 52 + sum(lengths)], crc32(owner))

    parts, at = [], 128 + 52
    for length in lengths:
        parts.append(raw[at : at + length])
        at += length
    opened, request, response, reply, close = parts
    head = open_head(target=script.target)
    lines = ["anthropic", "base_url", "", "POST", script.target, *(text for pair in head.headers for text in pair)]
    assert struct.unpack_from("<qq", opened) == (head.wall_us, head.mono_ns)
    assert opened[16:].decode().split("\n") == lines
    assert struct.unpack_from("<I2I2q", request) == (2, 2, 1, 5_001 * MS, 5_002 * MS)
    assert request[4 + 2 * 12 :] == b"abc"
    assert struct.unpack_from("<qI", response) == (5_010 * MS, 200)
    assert response[12:].decode().split("\n") == ["content-type", "application/json"]
    assert struct.unpack_from("<IIq", reply) == (1, 4, 5_015 * MS)
    assert reply[16:] == b"defg"
    assert struct.unpack("<qQQB", close) == (5_100 * MS, 0, 0, 0)


def test_the_document_tells_the_bounds_the_code_has() -> None:
    text = (ROOT / "docs" / "journal.md").read_text("utf-8")
    limits = small().__class__()
    for value in (
        f"{limits.body_cap_bytes >> 20} MiB per direction",
        f"{limits.batch_bytes >> 10} KiB",
        f"{limits.first_segment_bytes >> 20} MiB first",
        f"up to {limits.segment_bytes >> 20} MiB",
        f"({limits.journal_cap_bytes >> 30} GiB)",
        f"longer than {limits.slow_write_s} s",
        f"({limits.backoff_first_s:.0f} s, doubling to {limits.backoff_most_s:.0f} s)",
    ):
        assert value in text
