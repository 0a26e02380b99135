from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.relay import Listener, Running, relay


@pytest.fixture
def upstream() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


@pytest.fixture
def running(tmp_path: Path, upstream: Listener) -> Iterator[Running]:
    """A relay in front of `upstream`."""
    with relay(tmp_path, upstream.port) as it:
        yield it
