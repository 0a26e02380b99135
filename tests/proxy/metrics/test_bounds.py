from __future__ import annotations

import json
from pathlib import Path

import pytest

from proxy.metrics.bounds import Bounds
from proxy.metrics.definitions import BY_NAME, COMBINATIONS, Dimension, Kind, Metric, labelled
from proxy.metrics.readings import Labels, Value

MODEL = Metric("by_model", Kind.COUNTER, "", (Dimension("model", most=16, is_said=True),))
BOUNDARIES = BY_NAME["compaction_boundaries_total"]


def test_the_first_names_have_a_place_and_keep_it() -> None:
    bounds = Bounds()
    names = [f"m{number}" for number in range(20)]
    shown = [bounds.labels(MODEL, (name,))[0] for name in names]
    assert shown == [*names[:16], *["other"] * 4]
    assert bounds.labels(MODEL, ("m3",)) == ("m3",)


@pytest.mark.parametrize("name", ["a\nb", "{}", "x" * 65, "/etc/passwd", "\ud800", " "])
def test_what_is_no_plain_name_never_becomes_a_label(name: str) -> None:
    assert Bounds().labels(MODEL, (name,)) == ("other",)


def test_nothing_said_is_unknown() -> None:
    assert Bounds().labels(MODEL, ("",)) == ("unknown",)
    assert Bounds().labels(BOUNDARIES, ("c", "client", "", "exact")) == ("c", "client", "unknown", "exact")


def test_a_closed_set_takes_nothing_else() -> None:
    with pytest.raises(ValueError, match="label level has no value 'guessed'"):
        Bounds().labels(BOUNDARIES, ("c", "client", "auto", "guessed"))


def test_names_outlive_the_process_that_gave_them(tmp_path: Path) -> None:
    first = Bounds(tmp_path / "names.json")
    for number in range(16, 0, -1):
        first.labels(MODEL, (f"m{number}",))
    first.save()
    second = Bounds(tmp_path / "names.json")
    assert second.labels(MODEL, ("m0",)) == ("other",)
    assert second.labels(MODEL, ("m16",)) == ("m16",)


def test_what_is_installed_and_set_up_is_never_kept_beyond_its_process(tmp_path: Path) -> None:
    for version in ("1.0", "1.1"):
        bounds = Bounds(tmp_path / "names.json")
        assert bounds.labels(BY_NAME["compaction_build_info"], (version,)) == (version,)
        assert bounds.labels(MODEL, ("m",)) == ("m",)
        bounds.save()
    assert json.loads((tmp_path / "names.json").read_text()) == {"model": ["m"]}


def test_a_damaged_file_of_names_is_begun_anew(tmp_path: Path) -> None:
    (tmp_path / "names.json").write_text('{"model": [')
    assert Bounds(tmp_path / "names.json").labels(MODEL, ("m0",)) == ("m0",)


def test_what_is_other_or_unknown_already_takes_no_name() -> None:
    bounds = Bounds()
    assert bounds.labels(MODEL, ("other",)) == ("other",)
    assert bounds.labels(MODEL, ("unknown",)) == ("unknown",)
    assert [bounds.labels(MODEL, (f"m{number}",))[0] for number in range(17)].count("other") == 1


def test_the_users_labels_are_bounded_one_by_one_and_together_with_the_client() -> None:
    sessions = {metric.name: metric for metric in labelled(["team", "agent"])}["compaction_sessions_total"]
    assert [dimension.name for dimension in sessions.labels] == ["client", "label_team", "label_agent"]
    bounds = Bounds()
    teams = {bounds.labels(sessions, ("c", f"team-{number:02}", ""))[1] for number in range(30)}
    assert len(teams) == 21
    assert "other" in teams
    shown = {
        bounds.labels(sessions, ("c", f"team-{team:02}", f"a{agent}")) for team in range(20) for agent in range(20)
    }
    assert len(shown | {("c", team, "unknown") for team in teams}) == COMBINATIONS + 1
    assert ("c", "other", "other") in shown


def test_values_that_fall_together_are_added_up() -> None:
    many: dict[Labels, Value] = {(f"m{number:02}",): 1.0 for number in range(40)}
    merged = Bounds().merged(MODEL, many)
    assert len(merged) == 17
    assert merged["other",] == 24
