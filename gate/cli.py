"""The console script: makes sure that it runs its own packages, then hands over to the commands."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path


def foreign_packages() -> list[str]:
    """Our packages that come from somewhere else. Their names are common, and another distribution may hold one."""
    home = Path(__file__).resolve().parent.parent
    foreign = []
    for name in ("proxy", "config"):
        spec = find_spec(name)
        if spec is None or spec.origin is None or Path(spec.origin).resolve().parent.parent != home:
            foreign.append(name)
    return foreign


def main() -> None:
    """Run the command line and leave with its exit code."""
    if foreign := foreign_packages():
        print(
            f"compaction-gate: another distribution's package hides ours: {', '.join(foreign)}. "
            "Install compaction-gate into an environment of its own (pipx, uv tool, a container).",
            file=sys.stderr,
        )
        sys.exit(70)
    from proxy.cli.failures import run  # noqa: PLC0415  only once they are known to be ours
    from proxy.cli.root import root  # noqa: PLC0415

    sys.exit(run(root, sys.argv[1:]))
