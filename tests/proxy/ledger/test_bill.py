"""The bill of a boundary, worked by hand beside each test."""

from __future__ import annotations

from dataclasses import replace

from proxy.ledger.bill import Bill, ThreadBook
from proxy.model.facts import BoundaryFact, IterationFact, TurnFact
from tests.support.compaction import CONTINUATION, SUMMARY
from tests.support.journey import Client, Driver, a_file, numbered, read, text, usage

APP = a_file("app", 10)


def a_session() -> Client:
    """Context 61,240 → 14,900; the file is read again on the turn after."""
    client = Client(Driver())
    client.user(text("go"))
    client.asks(read("c1", "/repo/app.py"), used=usage(write=60_000, output=20))
    client.answers({"type": "tool_result", "tool_use_id": "c1", "content": numbered(APP)})
    client.turn(used=usage(read=60_000, write=1_240, output=20))
    client.user(text("CRITICAL: Respond with TEXT ONLY. Do NOT call any tools."))
    client.turn(text(SUMMARY), keep=False, used=usage(read=61_240, output=1_310))
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.asks(read("c2", "/repo/app.py"), used=usage(write=14_900, output=40))
    client.answers({"type": "tool_result", "tool_use_id": "c2", "content": numbered(APP)})
    client.turn(used=usage(read=14_900, write=200, output=10))
    client.user(text("more"))
    client.turn(used=usage(read=15_100, write=20, output=10))
    return client


def bill_of(client: Client) -> Bill:
    run = client.driver.run
    book = ThreadBook(run.of(TurnFact), run.of(IterationFact), [run.call(call) for call in run.labels()])
    (bill,) = book.bills(run.of(BoundaryFact))
    return bill


def test_the_summary_costs_its_whole_input_and_output() -> None:
    line = bill_of(a_session()).summary
    assert (line.events, line.tokens) == (1, 61_240 + 1_310)
    # 0.30 USD per million read, 15 USD per million out
    assert line.pico_usd == 61_240 * 300_000 + 1_310 * 15_000_000


def test_the_rewrite_costs_what_writing_is_dearer_than_reading() -> None:
    line = bill_of(a_session()).rewrite
    assert line.tokens == 14_900
    assert line.pico_usd == 14_900 * (3_750_000 - 300_000)


def test_a_reread_costs_its_share_of_output_and_of_new_input() -> None:
    line = bill_of(a_session()).exact
    client = a_session()
    client_call = client.driver.run.call("c2")
    payload = len(numbered(APP).split())
    assert line.events == 1
    assert line.tokens == client_call.arguments_tokens_ref + payload
    # The reply holds nothing but the call: its whole output, 40 tokens. The next turn grew by 200 tokens, all of
    # them written: the payload's share is payload / (payload + the call's own reference tokens).
    share = payload / (payload + client_call.arguments_tokens_ref)
    expected = 40 * 15_000_000 + share * 200 * 3_750_000
    assert line.pico_usd is not None
    assert abs(line.pico_usd - expected) < 1


def test_measured_is_the_sum_of_its_lines_and_the_break_even_follows_from_it() -> None:
    bill = bill_of(a_session())
    lines = (bill.summary, bill.rewrite, bill.exact, bill.partial, bill.attempted)
    assert bill.measured_pico_usd == sum(line.pico_usd or 0 for line in lines)
    assert bill.carried_less_tokens == 61_240 - 14_900
    assert bill.saved_per_turn_pico_usd == 46_340 * 300_000
    assert bill.turns_followed == 3
    assert bill.pays_back_after == -(-bill.measured_pico_usd // bill.saved_per_turn_pico_usd)
    assert bill.net_pico_usd == bill.measured_pico_usd - 3 * bill.saved_per_turn_pico_usd


def test_an_unpriced_part_leaves_the_sum_unmeasured() -> None:
    run = a_session().driver.run
    iterations = [replace(one, pico_usd=None, unpriced="unknown model") for one in run.of(IterationFact)]
    (bill,) = ThreadBook(run.of(TurnFact), iterations, []).bills(run.of(BoundaryFact))
    assert bill.measured_pico_usd is None
    assert bill.pays_back_after is None
    assert bill.net_pico_usd is None
    assert bill.summary.tokens == 62_550


def test_missing_usage_leaves_the_sum_unmeasured() -> None:
    run = a_session().driver.run
    (bill,) = ThreadBook(run.of(TurnFact), [], []).bills(run.of(BoundaryFact))
    assert bill.measured_pico_usd is None
    assert bill.rewrite.tokens is None


def test_a_clear_without_a_summary_has_a_summary_line_of_nothing() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.turn(answer={"context_management": {"applied_edits": [{"type": "x", "cleared_tool_uses": 1}]}})
    line = bill_of(client).summary
    assert (line.events, line.tokens, line.pico_usd) == (0, 0, 0)


def test_a_summary_written_out_of_sight_is_not_free() -> None:
    client = Client(Driver())
    client.user(text("go"))
    client.does(read("c1", "/repo/app.py"), numbered(APP))
    client.messages = [{"role": "user", "content": CONTINUATION + SUMMARY}]
    client.turn()
    bill = bill_of(client)
    assert bill.summary.pico_usd is None
    assert bill.measured_pico_usd is None


def test_a_thread_without_a_boundary_has_no_bill() -> None:
    assert ThreadBook([], [], []).bills([]) == []
