"""What stands in the context by kind, counted in words."""

from __future__ import annotations

import orjson
import pytest

from proxy.model.facts import IterationFact, TurnFact
from tests.support.compaction import CONTINUATION, SUMMARY, compact
from tests.support.journey import Client, Driver, bash, text, usage, words
from tests.support.responses_client import ResponsesClient, asked, shell


def views(driver: Driver) -> list[tuple[int | None, int | None, int, int | None]]:
    turns = driver.run.of(TurnFact)
    return [(t.system_tokens_ref, t.tools_tokens_ref, t.said_tokens_ref, t.summary_tokens_ref) for t in turns]


def test_texts_and_calls_add_up_and_results_are_left_to_observations() -> None:
    client = Client(Driver())
    client.user(text("one two three"))
    client.does(bash("t1", "make it so"), "many words of a result that do not count here")
    client.turn(text("four five"))
    client.user(text("six"))
    client.turn()
    call = words(orjson.dumps({"command": "make it so"}).decode())
    said = [view[2] for view in views(client.driver)]
    assert said == [3, 3 + call, 3 + call + 2 + 1]
    assert {view[0] for view in views(client.driver)} == {words(client.system[0]["text"])}
    assert {view[1] for view in views(client.driver)} == {len(client.tools)}


def test_a_compaction_leaves_the_summary_and_what_was_said_after_it() -> None:
    client = Client(Driver())
    client.user(text("one two three"))
    client.does(bash("t1", "ls"), "a.py")
    client.turn()
    compact(client)
    client.turn(text("four"))
    client.user(text("five"))
    client.turn()
    size = words(CONTINUATION + SUMMARY)
    assert [view[2:] for view in views(client.driver)[-2:]] == [(size, size), (size + 2, size)]


@pytest.mark.parametrize("chained", [False, True])
def test_an_opaque_summary_is_not_measured(chained: bool) -> None:
    client = ResponsesClient(Driver(), chained=chained)
    client.items.append(asked("one two three"))
    client.does(shell("c1", "ls"), "a.py")
    client.turn()
    client.compact()
    client.turn()
    client.items.append(asked("go on"))
    client.turn()
    assert [view[3] for view in views(client.driver)] == [0, 0, 0, None, None]
    assert [view[2] for view in views(client.driver)[-2:]] == [4 + 3, 4 + 3 + 1 + 2]


def test_the_price_of_what_was_written_is_told_apart() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.turn(used=usage(read=100, write=1_000, uncached=10, output=5))
    (one,) = client.driver.run.of(IterationFact)
    assert (one.fresh_pico_usd, one.written_pico_usd) == (10 * 3_000_000 + 1_000 * 3_750_000, 1_000 * 3_750_000)
