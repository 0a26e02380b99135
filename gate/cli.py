"""The console script: makes sure that it runs its own packages, then hands over to the commands."""

from __future__ import annotations

import os
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


def open_standard_streams() -> None:
    """Open those that were closed (`>&-`): else the next file or socket takes their number, and gets what we print."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(descriptor, True)  # noqa: FBT003  takes no keywords
    os.close(descriptor)
    sys.stdin = sys.stdin or open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  open as long as we run
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115


def main() -> None:
    """Run the command line and leave with its exit code."""
    open_standard_streams()
    if foreign := foreign_packages():
        print(
            f"compaction-gate: another distribution's package hides ours: {', '.join(foreign)}. "
            "Install compaction-gate into an environment of its own (pipx, uv tool, a container).",
            file=sys.stderr,
        )
        sys.exit(70)
    try:
        from proxy.cli.failures import run  # noqa: PLC0415  only once they are known to be ours
        from proxy.cli.root import root  # noqa: PLC0415
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(root, sys.argv[1:]))
