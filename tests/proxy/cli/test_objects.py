from __future__ import annotations

import json

import pytest

from proxy.cli.objects import echo_object


@pytest.mark.parametrize(
    ("given", "told"),
    [({"a": [1, "é"]}, {"a": [1, "é"]}), ({"path": "/a\udcff"}, {"path": "/a\ufffd"})],
    ids=["text", "a path that is no text"],
)
def test_any_value_is_printed_as_json(capsys: pytest.CaptureFixture[str], given: object, told: object) -> None:
    echo_object(given)
    assert json.loads(capsys.readouterr().out) == told
