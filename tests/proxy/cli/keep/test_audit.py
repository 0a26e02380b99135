from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from proxy.model.facts import Label
from proxy.store import open_database, snapshot
from tests.support.pictured import a_pictured_session
from tests.support.stories import Telling, keep, reads
from tests.support.typed import Typed, type_command


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(a_pictured_session(), database)
    return tmp_path


def audit(data: Path, *words: str | Path) -> Typed:
    return type_command("--data", data, "audit", *words)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def fill(rows: list[dict[str, str]], file: Path, hand: dict[str, str]) -> Path:
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(row | {"hand_label": hand.get(f"t{row['turn']}:c{row['call']}", "")} for row in rows)
    return file


def test_a_sheet_holds_what_a_person_needs_and_no_class_of_ours(data: Path) -> None:
    typed = audit(data, "sample", "--n", "100", "--seed", "3")
    assert typed.code == 0
    rows = rows_of(typed.out)
    assert len(rows) == 15
    (again,) = [row for row in rows if (row["thread"], row["turn"], row["call"]) == ("main", "5", "1")]
    assert (again["tool"], again["resource"]) == ("Read", "src/b.py")
    assert again["earlier_calls_of_the_resource"] == "t2:c1 Read no result, 1 boundary between"
    assert again["boundaries_since_the_last_of_them"] == "1"
    assert {row["hand_label"] + row["remark"] for row in rows} == {""}
    words = {label.value for label in Label} - {"failed", "pending"}
    assert not words & set(",".join(",".join(row.values()) for row in rows).replace(";", ",").split(","))
    assert audit(data, "sample", "--n", "100", "--seed", "3").out == typed.out


def test_hand_labels_come_back_as_precision_by_class(data: Path, tmp_path: Path) -> None:
    rows = rows_of(audit(data, "sample", "--n", "100").out)
    hand = {"t5:c1": "reacquisition", "t6:c1": "Reacquisition ", "t11:c1": "refresh", "t6:c2": "subset"}
    typed = audit(data, "import", fill(rows, tmp_path / "audit.csv", hand))
    assert typed.code == 0
    assert typed.lines[0] == "taken in: 4 labels; left out: 11 rows without one"
    (exact,) = [line for line in typed.lines if line.startswith(" reacquisition")]
    assert "2 of 3 agreed, 66.7 % [20.8 %, 93.9 %]" in exact
    assert exact.endswith("refresh 1")


def test_later_labels_replace_earlier_ones_and_pages_say_what_was_found(data: Path, tmp_path: Path) -> None:
    assert "labels not audited" in type_command("--data", data, "session", "last").out
    assert "labels not audited" in type_command("--data", data, "sessions").out
    rows = rows_of(audit(data, "sample", "--n", "100").out)
    audit(data, "import", fill(rows, tmp_path / "a.csv", {"t5:c1": "refresh"}))
    told = json.loads(
        audit(data, "import", fill(rows, tmp_path / "a.csv", {"t5:c1": "reacquisition"}), "--format", "json").out
    )
    assert [(one["label"], one["audited"], one["agreed"]) for one in told] == [("reacquisition", 1, 1)]
    with open_database(f"sqlite:///{data}/store.db", create=False) as database, snapshot(database) as reader:
        (kept,) = reader.hand_labels()
    assert (kept.turn, kept.index, kept.sample) == (5, 0, rows[0]["sample"])
    for page in ("session last", "session last --format html", "sessions"):
        assert "exact re-reads: 1 of 1 agreed" in type_command("--data", data, *page.split()).out
    labels = json.loads(type_command("--data", data, "session", "last", "--format", "json").out)["labels"]
    assert labels["audit"][0]["interval"][0] == pytest.approx(0.2065, abs=1e-4)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"hand_label": "rereading"}, "line 2, column hand_label: found 'rereading', expected one of failed"),
        ({"hand_label": "pending"}, "column hand_label: found 'pending'"),
        ({"turn": "x"}, "line 2, column turn: found 'x', expected a number from 1"),
        ({"call": "0"}, "column call: found '0', expected a number from 1"),
        ({"turn": "77"}, "column call: found"),
        ({"session": "0" * 32}, "expected a call of this store"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named_and_nothing_is_taken_in(
    data: Path, tmp_path: Path, change: dict[str, str], says: str
) -> None:
    rows = rows_of(audit(data, "sample", "--n", "100").out)
    file = fill(rows, tmp_path / "audit.csv", {})
    changed = [rows[0] | {"hand_label": "subset"} | change, *(row | {"hand_label": "subset"} for row in rows[1:])]
    with file.open("w", newline="") as out:
        writer = csv.DictWriter(out, list(rows[0]))
        writer.writeheader()
        writer.writerows(changed)
    typed = audit(data, "import", file)
    assert typed.code == 65
    assert f"{file}: line 2" in typed.err
    assert says in typed.err
    with open_database(f"sqlite:///{data}/store.db", create=False) as database, snapshot(database) as reader:
        assert reader.hand_labels() == []


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "line 1: found nothing, expected the columns"),
        (b"a,b\n1,2\n", "line 1: found a, b, expected the columns of `audit sample`, sample among them"),
        (b"\xff\xfe\x00", "no UTF-8 text"),
        (b'sample,session,thread,turn,call,hand_label\n"open', "CSV"),
        (None, "found no such file or directory"),
    ],
)
def test_a_file_that_is_no_sheet_is_refused(data: Path, tmp_path: Path, content: bytes | None, says: str) -> None:
    file = tmp_path / "sheet.csv"
    if content is not None:
        file.write_bytes(content)
    typed = audit(data, "import", file)
    assert (typed.code, says in typed.err) == (65, True), typed.err


def test_a_call_that_stands_twice_is_refused(data: Path, tmp_path: Path) -> None:
    rows = rows_of(audit(data, "sample", "--n", "100").out)
    typed = audit(
        data,
        "import",
        fill([rows[0], rows[0]], tmp_path / "a.csv", {f"t{rows[0]['turn']}:c{rows[0]['call']}": "subset"}),
    )
    assert typed.code == 65
    assert "line 3, column call" in typed.err


def test_a_name_that_a_spreadsheet_would_calculate_stays_a_name(tmp_path: Path) -> None:
    told = Telling()
    told.turn(1_000, {**reads("=1+1"), "tool": "@x"})
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    (row,) = rows_of(audit(tmp_path, "sample").out)
    assert (row["resource"], row["tool"]) == ("'=1+1", "'@x")


def test_without_a_call_there_is_nothing_to_judge(tmp_path: Path) -> None:
    assert "next: compaction-gate wrap" in audit(tmp_path, "sample").err
    told = Telling()
    told.turn(1_000)
    with open_database(f"sqlite:///{tmp_path}/store.db") as database:
        keep(told, database)
    assert "nothing to judge" in audit(tmp_path, "sample").err
