from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.store import Database, open_database
from tests.support.store import an_empty_store


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(an_empty_store(tmp_path / "store.db")) as opened:
        yield opened
