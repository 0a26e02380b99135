from __future__ import annotations

from proxy.cli.views.doctor import Check, doctor_lines, worst


def test_advice_stands_under_what_needs_it() -> None:
    checks = [
        Check(name="disk", is_well=True, said="9 GiB free", advice="free some space"),
        Check(name="upstream a", is_well=False, said="refused", advice="look there"),
    ]
    assert doctor_lines(checks) == [
        "ok    disk        9 GiB free",
        "LOOK  upstream a  refused",
        "      → look there",
    ]


def test_the_first_check_that_is_not_well_gives_the_exit_code() -> None:
    told = Check(name="a", is_well=False, said="")
    well = Check(name="b", is_well=True, said="", exit_code=73)
    assert worst([]) == worst([told, well]) == 0
    assert worst([told, well, Check(name="c", is_well=False, said="", exit_code=69)]) == 69
