from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.store import Database, open_database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    with open_database(f"sqlite:///{tmp_path}/store.db") as opened:
        yield opened
