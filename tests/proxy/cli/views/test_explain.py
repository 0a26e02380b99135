from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC

from proxy.cli.views.explain import boundary_lines, call_lines
from proxy.model.facts import InSummary
from proxy.model.ids import ObservationId
from tests.support.stories import a_compacted_session

BECAUSE = {
    "rule": "Read of claude-code",
    "key": "read:b.py:",
    "reason": "same key and content, every copy dropped",
    "content_sha256": "c" * 64,
    "copy_visible": False,
    "returned_lines": 80,
    "compared": {
        "observation": "main/1.1",
        "turn": 2,
        "key": "read:b.py:",
        "content_sha256": "c" * 64,
        "dropped_by": 1,
    },
    "may_hold_a_human": True,
}

CALL = """\
7f3a91c2:t6:c1 · main · Read b.py
  The model read again, unchanged, what a compaction had taken away: the strict re-read.
  class          reacquisition: same key and content, every copy dropped
  tool           Read · retrieval · read
  tool rule      Read of claude-code
  resource       b.py
  key            read:b.py:
  asked          turn 6, 2023-11-14 22:14, toolu_6_0
  arguments      sha256 none, 10 reference tokens
  answer         turn 7, sha256 cccc, 2,300 reference tokens
  copy visible   no
  repeats        observation main/1.1 of turn 2
    its key      read:b.py:
    its content  sha256 cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc
  model time     over a minute: may hold a human
  dropped by     b1, 1 turn before; in its summary: partly
  charged        2,310 reference tokens: arguments and whole answer
  next: compaction-gate explain 7f3a91c2:b1"""

BOUNDARY = """\
7f3a91c2:b1
  kind      client auto
  seen by   summary request (exact)
  at        turn 6 of main, 2023-11-14 22:14
  context   61,900 → 14,900 billed tokens
  dropped   3 observations, 5,474 reference tokens
  put back  0 observations by the client itself

The bill of this compaction                               tokens       USD
  summary call                                            62,100   $0.0240
  prompt cache written again instead of read              14,900   $0.0402
  re-reads, exact (3)                                  5,824 ref   $0.0273
  re-reads, partial (1)                                  840 ref   $0.0030
  measured                                                         $0.0945
  not carried any more, 5 turns X 47,000 tokens                   -$0.0705  modelled
  pays back after 7 turns; this session went on for 5              $0.0240  modelled net

  fetched again  tokens ref  in summary  what  seen at  content
            1 X       2,310  none        b.py  turn 1   sha256 cccccccccccc
          never       1,960  none        c.py  turn 1   sha256 cccccccccccc
          never       1,204  none        a.py  turn 1   sha256 cccccccccccc"""


def test_a_call_is_explained_by_its_hashes_ids_and_rules() -> None:
    story = a_compacted_session().story()
    call = replace(
        next(call for call in story.calls if call.boundary),
        because=json.dumps(BECAUSE),
        result_sha256="cccc",
        result_tokens_ref=2_300,
        in_summary=InSummary.PARTLY,
    )
    assert "\n".join(call_lines(story, call, zone=UTC)) == CALL


def test_a_call_that_was_not_answered_says_so() -> None:
    story = a_compacted_session().story()
    call = replace(story.calls[0], answered_turn=None, because="")
    lines = call_lines(story, call, zone=UTC)
    assert "  answer        none" in lines
    assert "  copy visible  not asked" in lines


def test_a_boundary_is_explained_by_what_it_dropped_and_cost() -> None:
    told = a_compacted_session()
    first = next(index for index, call in enumerate(told.calls) if call.boundary)
    told.calls[first] = replace(told.calls[first], repeats=ObservationId("main/1.1"))
    story = told.story()
    lines = boundary_lines(story, 1, story.bills[0], zone=UTC)
    assert "\n".join(lines).replace("\u00d7", "X") == BOUNDARY
