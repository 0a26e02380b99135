from __future__ import annotations

from proxy.model.facts import Label
from proxy.store import Database, HandLabel, keep_hand_labels, snapshot
from tests.support.store import MAIN, SESSION


def a_label(turn: int, hand: Label) -> HandLabel:
    return HandLabel(
        session=SESSION, thread=MAIN, turn=turn, index=0, sample="s", product_label=Label.REACQUISITION,
        hand_label=hand, imported_us=1,
    )  # fmt: skip


def test_hand_labels_are_read_back_in_the_order_of_calls_and_a_later_one_replaces(database: Database) -> None:
    keep_hand_labels(database, [])
    keep_hand_labels(database, [a_label(2, Label.REFRESH), a_label(1, Label.SUBSET)])
    keep_hand_labels(database, [a_label(2, Label.REACQUISITION)])
    with snapshot(database) as reader:
        assert reader.hand_labels() == [a_label(1, Label.SUBSET), a_label(2, Label.REACQUISITION)]
