"""The bench itself: what it counts as met, what it refuses to count, and that what it sends is what it says."""

from __future__ import annotations

import os
import time
from pathlib import Path

import orjson
import pytest

from tests.bench import live_findings, report, scan, tools
from tests.bench.__main__ import EXIT_UNAVAILABLE, PARTS, main
from tests.bench.chunks import CHUNKS, PIECES
from tests.bench.cpu import cpu_s, rss_bytes
from tests.bench.findings import Limit, Outcome, judged, told
from tests.bench.live import Cell, Sample
from tests.bench.load import LOADS, Load
from tests.bench.observer import LONG, MANY, Shape
from tests.bench.processes import CannotStartError
from tests.bench.sessions import Session

PAGE = Path(__file__).parents[2] / "docs" / "bench.md"


def a_cell(target: str, *cpu_ms: float, why: str = "", p50_ms: float = 0.1) -> Cell:
    samples = [Sample(1000.0, p50_ms / 1e3, each / 1e3) for each in cpu_ms]
    return Cell(target, "2 KB", 1, tls=False, samples=samples, exchanges=10, why=why)


def found(*cells: Cell) -> dict[str, Outcome]:
    return {each.name: each.outcome for each in live_findings.findings({cell.key: cell for cell in cells})}


@pytest.mark.parametrize(
    ("limit", "figure", "outcome"),
    [
        (Limit("", most=3.0), 3.0, Outcome.MET),
        (Limit("", most=3.0), 3.01, Outcome.MISSED),
        (Limit("", least=100.0), 100.0, Outcome.MET),
        (Limit("", least=100.0), 99.9, Outcome.MISSED),
    ],
)
def test_a_limit_is_kept_up_to_its_last_digit(limit: Limit, figure: float, outcome: Outcome) -> None:
    assert judged("part", "name", limit, figure).outcome is outcome


def test_a_figure_that_is_missing_is_neither_met_nor_missed() -> None:
    assert judged("part", "name", Limit("", most=1.0), None).outcome is Outcome.NOT_MEASURED
    assert told("part", "name", None, "ms").outcome is Outcome.NOT_MEASURED


def test_ratios_are_taken_within_a_round() -> None:
    """The machine was three times slower in the second round, for both."""
    cells = (a_cell("ours", 0.2, 0.6, 0.2), a_cell("nginx", 0.1, 0.3, 0.1))
    assert live_findings.cpu_ratio(*cells) == pytest.approx(2.0)
    assert found(*cells)["CPU at 2 KB, 1 connection"] is Outcome.MET


def test_what_is_promised_is_held_against_what_was_found() -> None:
    cells = (a_cell("ours", 0.4, p50_ms=0.3), a_cell("nginx", 0.1), a_cell("aiohttp+uvloop", 0.8))
    assert found(*cells) | {} == {
        "CPU at 2 KB, 1 connection": Outcome.MISSED,
        "CPU saved at 2 KB, 1 connection": Outcome.MISSED,
        "p50 at 2 KB, 1 connection": Outcome.MISSED,
        **{name: Outcome.NOT_MEASURED for name in found() if "2 KB, 1 " not in name},
    }


def test_a_cell_whose_exchanges_were_not_journalled_counts_for_nothing() -> None:
    mine = a_cell("ours", 0.1, why="3 exchanges not journalled")
    assert set(found(mine, a_cell("nginx", 0.1), a_cell("aiohttp+uvloop", 1.0)).values()) == {Outcome.NOT_MEASURED}
    assert mine.median("cpu_s") is None
    assert "not measured (3 exchanges not journalled)" in report.cell_line(mine, None)


def test_a_missing_program_is_named_with_the_line_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("shutil.which", lambda name, path=None: None)
    with pytest.raises(CannotStartError, match="apt-get install wrk"):
        tools.tool("wrk")
    assert main(["--only", "memory"]) == EXIT_UNAVAILABLE
    assert "apt-get install nginx-light" in capsys.readouterr().out


@pytest.mark.parametrize("load", LOADS, ids=lambda load: load.name)
def test_requests_are_whole_and_as_large_as_they_say(load: Load) -> None:
    head, _, body = load.request("a").partition(b"\r\n\r\n")
    assert f"Content-Length: {len(body)}".encode() in head.split(b"\r\n")
    assert load.request_bytes <= len(body) < load.request_bytes * 1.02
    assert orjson.loads(body)["messages"]
    assert load.request("a") == load.request("a") != load.request("b")
    if load.reply_bytes is not None:
        assert len(load.reply()) == load.reply_bytes


def test_the_stream_has_as_many_chunks_as_it_says() -> None:
    head, *chunks = PIECES
    assert len(chunks) == CHUNKS
    assert head.endswith(b"\r\n\r\n")
    assert chunks[-1].endswith(b"0\r\n\r\n")
    for chunk in chunks:
        size, _, rest = chunk.partition(b"\r\n")
        assert rest[int(size, 16) :][:2] == b"\r\n"


def test_a_session_sends_its_history_again_and_what_came_of_it() -> None:
    turns = list(Session("a", prompt_bytes=20_000, step_bytes=2_000).turns(12))
    bodies = [orjson.loads(turn.request) for turn in turns]
    assert [len(body["messages"]) for body in bodies] == list(range(1, 25, 2))
    assert all(b"message_stop" in turn.response[-1] for turn in turns)
    grown = len(turns[-1].request) - len(turns[0].request)
    assert 0.5 < grown / (11 * 2_000) < 1.5


@pytest.mark.parametrize(("shape", "size"), [(MANY, 100_000), (LONG, 1_000_000)])
def test_observed_bodies_reach_the_size_they_are_named_after(shape: Shape, size: int) -> None:
    *_, last = Session("a", prompt_bytes=shape.prompt_bytes, step_bytes=shape.step_bytes).turns(shape.turns)
    assert 0.95 * size < len(last.request) < 1.3 * size


def test_cpu_and_memory_are_those_of_the_process() -> None:
    before, own = cpu_s(os.getpid()), time.process_time()
    sum(range(200_000))
    assert cpu_s(os.getpid()) - before == pytest.approx(time.process_time() - own, abs=0.005)
    assert 5_000_000 < rss_bytes(os.getpid()) < 5_000_000_000


def test_the_page_names_every_part_and_shows_a_run() -> None:
    page = PAGE.read_text("utf-8")
    assert all(part in page for part in PARTS)
    measured = page.partition(report.BEGIN)[2].partition(report.END)[0]
    assert all(f"| {load.name} |" in measured for load in LOADS)


def test_a_run_reads_as_ratios(tmp_path: Path) -> None:
    cells = [a_cell("nginx", 0.1), a_cell("ours", 0.25)]
    run = report.run_of(cells, live_findings.findings({cell.key: cell for cell in cells}))
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    report.write_into(page, report.markdown(run))
    written = page.read_text()
    assert written.startswith("before\n")
    assert written.endswith("\nafter\n")
    assert "| plain | 2 KB | 1 | ours | 2.50 | 1.00 | 1.00 |" in written
    assert "old" not in written


def test_a_scan_is_timed_with_all_its_processes(tmp_path: Path) -> None:
    assert scan.write(tmp_path / "transcripts", 2) > 2 * 4_500_000
    for path in (tmp_path / "transcripts").iterdir():
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:40]))
    took = scan.scan(tmp_path / "transcripts", tmp_path)
    assert took.turns == 26
    assert took.cpu_s > 0
    with pytest.raises(CannotStartError, match="scan left with 65"):
        scan.scan(tmp_path / "none", tmp_path)
