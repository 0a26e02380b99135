"""Where a skip is a failure: CI installs every real part that a test may ask for."""

from __future__ import annotations

import os

import pytest

NOT_INSTALLABLE = "the recorded traces are not here"
"""The one real part that no package brings: recordings of agents with licences of their own."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    """With NO_SKIPPED_TESTS set, a run in which a test was skipped has failed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    skipped = [report for report in reports if NOT_INSTALLABLE not in str(report.longrepr)]
    if reporter and skipped and os.environ.get("NO_SKIPPED_TESTS"):
        reporter.write_line(f"{len(skipped)} skipped: every real part must be installed here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
