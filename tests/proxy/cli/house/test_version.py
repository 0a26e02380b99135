from __future__ import annotations

import platform

from tests.support.typed import type_command


def test_version_names_product_and_python() -> None:
    typed = type_command("version")
    assert typed.code == 0
    assert typed.out.startswith("compaction-gate ")
    assert typed.out.endswith(f" · Python {platform.python_version()}\n")
