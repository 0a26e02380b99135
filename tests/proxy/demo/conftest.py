from __future__ import annotations

from pathlib import Path

import pytest

from proxy.demo import show, stage
from proxy.model.facts import ExchangeFact


@pytest.fixture(scope="package")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, show.Played]:
    """The demo played once, for real: a relay in a process of its own, the journal, the observer, the store."""
    folder = tmp_path_factory.mktemp("demo")
    settings = stage.play(folder)
    with stage.opened(settings) as reader:
        assert len(reader.facts(ExchangeFact)) == 24
        return folder, show.found(reader)
