from __future__ import annotations

from proxy.model.facts import Label
from proxy.story.audit import Audited, audit_line, precision_text, precisions

EXACT, READ, PART = Label.REACQUISITION, Label.ACQUISITION, Label.SUBSET


def test_precision_is_of_the_calls_that_the_product_gave_a_class() -> None:
    told = [Audited(EXACT, EXACT)] * 19 + [Audited(EXACT, READ)] + [Audited(READ, EXACT)] * 2
    read, exact = precisions(told)
    assert (exact.label, exact.audited, exact.agreed, exact.others) == (EXACT, 20, 19, {READ: 1})
    assert precision_text(exact) == "19 of 20 agreed, 95.0 % [76.4 %, 99.1 %]"
    assert (read.audited, read.agreed) == (2, 0)


def test_a_class_nobody_judged_has_no_precision() -> None:
    assert [one.label for one in precisions([Audited(PART, PART)])] == [PART]


def test_every_page_says_whether_labels_were_audited() -> None:
    assert audit_line([]).startswith("labels not audited")
    assert audit_line([Audited(PART, PART)]).endswith("1 call; no exact re-read among them")
    assert "exact re-reads: 1 of 1 agreed" in audit_line([Audited(EXACT, EXACT)])
