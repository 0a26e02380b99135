"""What the arguments of a plain tool name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from config.tool_rules import load
from proxy.ledger.keys.arguments import Target, targets
from proxy.ledger.rules import compile_rules


def told(arguments: dict[str, Any], tmp_path: Path, **rule: Any) -> tuple[Target, ...]:
    file = tmp_path / "mine.yaml"
    file.write_text(json.dumps({"version": 1, "tools": [{"tool": "t", "resource": ["path"], **rule}]}))
    return targets(compile_rules(load([file]), 1).tools[0], arguments, "/w")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"path": "a"}, [("/w/a", "")]),
        ({"path": ["a", "b"]}, [("/w/a", ""), ("/w/b", "")]),
        ({"path": ""}, [("/w/d", "")]),
        ({}, [("/w/d", "")]),
        ({"path": 5}, [("/w/5", "")]),
        ({"path": "a", "from": 2, "count": 3}, [("/w/a", "3-5")]),
        ({"path": "a", "from": -5}, [("/w/a", "-5-")]),
        ({"path": "a", "from": -5, "count": 2}, [("/w/a", "limit=2&offset=-5")]),
        ({"path": "a", "count": -1}, [("/w/a", "")]),
        ({"path": "a", "count": "many"}, [("/w/a", "")]),
        ({"path": "a", "how": {"b": 1, "a": [True]}}, [("/w/a", 'how={"a": [true], "b": 1}')]),
        ({"path": "a", "from": 0, "count": 5, "how": "x"}, [("/w/a", "1-5&how=x")]),
    ],
)
def test_resource_span_and_narrowing_are_read(
    arguments: dict[str, Any], expected: list[tuple[str, str]], tmp_path: Path
) -> None:
    rule = {"default": "d", "span": {"offset": "from", "limit": "count", "zero_based": True}, "narrow": "how"}
    assert [tuple(one) for one in told(arguments, tmp_path, **rule)] == expected


def test_lists_of_objects_have_spans_of_their_own(tmp_path: Path) -> None:
    rule = {"items": "files", "span": {"first": "a", "last": "b"}}
    found = told({"files": [{"path": "x", "a": 1, "b": 5}, {"path": "y"}, "z", 7]}, tmp_path, **rule)
    assert found == (("/w/x", "1-5"), ("/w/y", ""), ("/w/z", ""), ("/w/7", ""))
    assert told({}, tmp_path, **rule) == (("", ""),)
    assert told({"files": []}, tmp_path, **rule) == (("", ""),)


def test_no_call_names_more_than_a_thousand_resources(tmp_path: Path) -> None:
    assert len(told({"path": [str(n) for n in range(5000)]}, tmp_path)) == 1000
