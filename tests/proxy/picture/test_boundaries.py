from __future__ import annotations

from proxy.picture.boundaries import bands
from proxy.picture.frame import frame
from tests.support.pictured import HOSTILE, a_hostile_session, a_long_session, a_pictured_session


def test_a_band_leads_to_its_bill_and_says_what_it_was() -> None:
    first, second = bands(frame(a_pictured_session().story(), 1_180), 400)
    assert 'href="#b1"' in first
    assert (
        'aria-label="compaction b1: client auto, before turn 5; 3 observations dropped, measured cost $0.0509"' in first
    )
    assert ">▼b2 manual<" in second


def test_a_still_picture_has_no_links() -> None:
    found = frame(a_pictured_session().story(), 860, has_tips=False)
    assert all("<a " not in band for band in bands(found, 400))


def test_labels_that_would_run_into_each_other_are_left_out_and_bands_are_not() -> None:
    told = a_long_session(60)
    for _ in range(12):
        told.boundary(("x", 1))
        told.turn(1_000)
    drawn = list(bands(frame(told.story(), 370, is_narrow=True), 400))
    assert len(drawn) == 12
    assert 0 < sum("▼" in band for band in drawn) < 12


def test_a_long_trigger_is_cut() -> None:
    (band,) = bands(frame(a_hostile_session().story(), 1_180), 400)
    assert HOSTILE[:20] not in band
