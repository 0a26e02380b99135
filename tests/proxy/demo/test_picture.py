from __future__ import annotations

from pathlib import Path

from proxy.demo import show
from tests.support.typed import type_command

PICTURE = Path(__file__).parents[3] / "docs" / "session.svg"


def test_the_picture_in_the_docs_is_the_demos_session_to_the_byte(played: tuple[Path, show.Played]) -> None:
    """`make demo`, then `compaction-gate --data build/demo/data session last --format svg > docs/session.svg`."""
    drawn = type_command("--data", played[0] / "data", "session", "last", "--format", "svg")
    assert drawn.code == 0
    assert drawn.out == PICTURE.read_text("utf-8")
