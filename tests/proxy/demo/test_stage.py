from __future__ import annotations

from pathlib import Path

import pytest

from proxy.demo import project, show, stage
from proxy.model.errors import CannotWriteError
from proxy.model.facts import Label


def test_it_is_24_turns_with_one_compaction_in_the_middle(played: tuple[Path, show.Played]) -> None:
    _, found = played
    assert [turn.turn for turn in found.turns] == list(range(1, 25))
    assert [(b.turn, b.dropped_observations) for b in found.boundaries] == [(12, 9)]
    assert [turn.turn for turn in found.turns if turn.purpose == "summary"] == [11]


def test_what_the_compaction_took_is_read_again_and_classed(played: tuple[Path, show.Played]) -> None:
    _, found = played
    labels = {(call.turn, call.resource): call.label for call in found.calls if call.turn > 11}
    assert labels[12, "service/config.py"] is Label.REACQUISITION
    assert labels[13, "config/app.yaml"] is Label.REACQUISITION
    assert labels[15, "service/db.py"] is Label.SUBSET
    assert labels[19, "service/config.py"] is Label.REFRESH
    assert sum(label is Label.REACQUISITION for label in labels.values()) == 2


def test_every_figure_is_labelled_simulated_and_the_bill_adds_up(played: tuple[Path, show.Played]) -> None:
    _, found = played
    assert found.session.source == "simulated"
    (bill,) = found.bills
    parts = [bill.summary, bill.rewrite, bill.exact, bill.partial, bill.attempted]
    assert bill.measured_pico_usd == sum(part.pico_usd or 0 for part in parts)
    assert all(part.pico_usd is not None for part in parts)


def test_the_agents_work_is_real(played: tuple[Path, show.Played]) -> None:
    folder, _ = played
    assert project.check_timeout(folder / "project") == "check_timeout passed"


def test_a_folder_with_something_else_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(CannotWriteError, match="not an earlier demo"):
        stage.play(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_a_file_in_the_place_of_the_folder_is_told(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("", encoding="utf-8")
    with pytest.raises(CannotWriteError, match="taken"):
        stage.play(taken)
