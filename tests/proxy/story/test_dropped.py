from __future__ import annotations

from proxy.model.ids import ObservationId
from proxy.story.dropped import dropped_by
from tests.support.stories import Telling, reads, rereads


def test_what_was_fetched_again_most_often_comes_first_then_the_largest() -> None:
    told = Telling()
    told.turn(9_000, reads("a"))
    told.boundary(("small", 10), ("large", 900), ("again", 5))
    for _ in range(2):
        told.turn(1_000, {**rereads("again"), "repeats": ObservationId("main/1.2")})
    found = dropped_by(told.story(), told.boundaries[0])
    assert [(one.observation.resource, one.fetched_again) for one in found] == [
        ("again", 2),
        ("large", 0),
        ("small", 0),
    ]


def test_re_reads_charged_to_another_boundary_do_not_count() -> None:
    told = Telling()
    told.turn(9_000, reads("a"))
    told.boundary(("a", 10))
    told.turn(1_000, {**rereads("a", boundary=2), "repeats": ObservationId("main/1.0")})
    assert [one.fetched_again for one in dropped_by(told.story(), told.boundaries[0])] == [0]
