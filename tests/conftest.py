"""Where a skip is a failure: CI installs every real part that a test may ask for."""

from __future__ import annotations

import os

import pytest


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With COMPACTION_GATE_NO_SKIPS set, a run in which a test was skipped has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = len(reporter.stats.get("skipped", [])) if reporter else 0
    if reporter and skipped and os.environ.get("COMPACTION_GATE_NO_SKIPS"):
        reporter.write_line(f"{skipped} skipped: every real part must be installed here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
