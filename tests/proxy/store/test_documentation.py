from __future__ import annotations

from pathlib import Path

from tests.support.store_docs import page


def test_the_document_says_what_the_tables_are() -> None:
    written = Path("docs/store.md").read_text("utf-8")
    assert written == page(), "python -m tests.support.store_docs > docs/store.md"
