from __future__ import annotations

from importlib import metadata

import pytest

from proxy.wiring.version import DISTRIBUTION, product_version


def test_the_installed_version_or_that_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "version", lambda name: f"{name} 1")
    assert product_version() == f"{DISTRIBUTION} 1"

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert product_version() == "unknown (not installed)"
