from __future__ import annotations

from proxy.metrics.documentation import metric_lines
from tests.support.typed import type_command


def test_the_command_prints_every_series() -> None:
    typed = type_command("metrics")
    assert (typed.code, typed.lines) == (0, list(metric_lines()))
