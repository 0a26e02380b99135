from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from proxy.export.collector import Collector
from proxy.export.spans import Attribute, Span, session_span
from tests.support.collector import Taken, a_collector, values
from tests.support.service import until
from tests.support.stories import Telling

RESOURCE = {"service.name": "compaction-gate", "deployment.environment.name": "staging"}


@pytest.fixture
def taken() -> Iterator[Taken]:
    with a_collector() as found:
        yield found


def a_span(name: str = "chat m") -> Span:
    attributes: dict[str, Attribute] = {
        "gen_ai.request.model": "m",
        "n": 3,
        "gen_ai.response.finish_reasons": ("end_turn",),
    }
    return Span(
        name=name, trace_id=1, span_id=2, parent_id=3, start_us=5, end_us=7, is_client=True, attributes=attributes
    )


def test_a_span_arrives_as_it_was_made(taken: Taken) -> None:
    collector = Collector(taken.url, RESOURCE)
    assert collector.send([a_span(), session_span(Telling().fact)])
    first, second = taken.spans
    assert taken.paths == ["/v1/traces"]
    assert first.trace_id == (1).to_bytes(16, "big")
    assert (first.span_id, first.parent_span_id) == ((2).to_bytes(8, "big"), (3).to_bytes(8, "big"))
    assert (first.start_time_unix_nano, first.end_time_unix_nano) == (5_000, 7_000)
    assert first.kind == first.SPAN_KIND_CLIENT
    assert values(first.attributes)["gen_ai.response.finish_reasons"] == ["end_turn"]
    assert values(first.attributes)["n"] == 3
    assert second.parent_span_id == b""
    assert taken.resource()["deployment.environment.name"] == "staging"


def test_a_path_of_its_own_is_kept(taken: Taken) -> None:
    assert Collector(f"{taken.url}/otel/traces", RESOURCE).send([a_span()])
    assert taken.paths == ["/otel/traces"]


def test_a_collector_that_is_busy_is_asked_again(taken: Taken) -> None:
    taken.statuses = [503]
    assert Collector(taken.url, RESOURCE).send([a_span()])
    assert (len(taken.bodies), len(taken.spans)) == (2, 1)


def test_a_batch_that_is_refused_is_not_tried_again(taken: Taken) -> None:
    taken.statuses = [400]
    assert not Collector(taken.url, RESOURCE).send([a_span()])
    assert len(taken.bodies) == 1


def test_the_number_of_tries_is_bounded(taken: Taken) -> None:
    taken.statuses = [503] * 20
    assert not Collector(taken.url, RESOURCE, batch_s=1.5).send([a_span()])
    assert 1 <= len(taken.bodies) <= 3


def test_who_is_in_a_hurry_waits_for_no_further_try(taken: Taken) -> None:
    taken.statuses = [503] * 20
    collector = Collector(taken.url, RESOURCE, batch_s=60)
    results: list[bool] = []
    sending = threading.Thread(target=lambda: results.append(collector.send([a_span()])))
    sending.start()
    until(lambda: len(taken.bodies) > 0)
    collector.hurry()
    sending.join(10)
    assert results == [False]
    taken.statuses = []
    assert collector.send([a_span()])


def test_credentials_come_from_the_environment(taken: Taken, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Bearer%20of-the-collector")
    assert Collector(taken.url, RESOURCE).send([a_span()])
    assert {name.lower(): value for name, value in taken.headers[0].items()}["authorization"] == (
        "Bearer of-the-collector"
    )
