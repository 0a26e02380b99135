"""A real process that writes, and a real `kill -9` at a random moment."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from proxy.journal.reader import JournalReader
from proxy.model.exchange import Outcome

ROOT = Path(__file__).parents[3]

CHILD = """
import sys, time
from pathlib import Path
from proxy.journal.limits import JournalLimits
from proxy.journal.payloads import OpenHead
from proxy.journal.writer import JournalWriter
from proxy.model.exchange import Outcome

limits = JournalLimits(first_segment_bytes=1 << 15, segment_bytes=1 << 17, free_floor_bytes=0, batch_age_s=0.001)
writer = JournalWriter(Path(sys.argv[1]), settings=limits, clock=time)
head = OpenHead(wall_us=1, mono_ns=0, upstream="a", door="base_url", tag="", method="POST", target="/", headers=())
running = []
while True:
    recorder = writer.begin(head)
    recorder.request_piece(str(recorder.number).encode() * 100, 1)
    recorder.request_done()
    recorder.response_head(200, (), 2)
    running.append(recorder)
    for one in running:
        one.response_piece(str(one.number).encode() * 500, 3)
    writer.flush_due()
    if len(running) > 7:
        done = running.pop(0)
        done.close(Outcome.COMPLETE, 4, response_complete=True)
        sys.stdout.write(f"{done.number}\\n")
        sys.stdout.flush()
    time.sleep(0.001)  # a relay waits for its sockets between exchanges
"""


@pytest.mark.parametrize("seed", range(4))
def test_what_had_ended_before_a_kill_is_there_once_and_the_rest_is_cut(tmp_path: Path, seed: int) -> None:
    folder = tmp_path / "journal"
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdout=subprocess.PIPE, cwd=ROOT)
    reader = JournalReader(folder)
    seen = []
    assert child.stdout is not None
    told = [child.stdout.readline() for _ in range(random.Random(seed).randrange(20, 150))]
    for exchange in islice(reader.poll(), 40):  # the child writes on meanwhile: it may never be caught up with
        seen.append(exchange)
        reader.release(exchange.id.writer, reader.mark(exchange.id.writer))
    child.kill()
    told += child.stdout.readlines()
    child.stdout.close()
    child.wait()
    seen += reader.poll()

    numbers = [exchange.id.number for exchange in seen]
    assert len(set(numbers)) == len(numbers)
    complete = [exchange for exchange in seen if exchange.outcome is Outcome.COMPLETE]
    ended = [int(line) for line in told if line.endswith(b"\n")]
    assert set(ended) <= {exchange.id.number for exchange in complete}
    assert len(complete) <= len(ended) + 1
    for exchange in seen:
        digits = str(exchange.id.number).encode()
        assert exchange.request_body == digits * 100
        assert exchange.response_body == digits * (len(exchange.response_body) // len(digits))
    assert {len(exchange.response_body) // len(str(exchange.id.number)) for exchange in complete} == {4000}
    assert {exchange.outcome for exchange in seen} <= {Outcome.COMPLETE, Outcome.CUT}
    for writer, mark in reader.marks().items():
        reader.release(writer, mark)
    assert list(folder.iterdir()) == []
