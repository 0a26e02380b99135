"""A real headless Chromium through playwright-core, which npm brings once below `build/`."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VERSION = "1.65.1"
FOLDER = Path(__file__).parents[2] / "build" / "browser"
LIBRARY = FOLDER / "node_modules" / "playwright-core"
DRIVER = Path(__file__).with_name("browser.cjs")


class NoBrowserError(Exception):
    """What this machine lacks."""


class Browser:
    """One page at a time."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def do(self, what: str, **how: Any) -> Any:
        """One step of `browser.cjs`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"what": what, **how}), file=self._process.stdin, flush=True)
        answer = json.loads(self._process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["value"]

    def open(self, file: Path, width: int, height: int = 900) -> None:
        """A file in a window of that size."""
        self.do("open", url=file.as_uri(), width=width, height=height)

    def value(self, code: str) -> Any:
        """What an expression is on the page."""
        return self.do("evaluate", code=code)


@contextmanager
def a_browser() -> Iterator[Browser]:
    """A running Chromium.

    Raises:
        NoBrowserError: Chromium, node or npm is missing, or npm does not reach its registry.
    """
    program, node = shutil.which("chromium"), shutil.which("node")
    if program is None or node is None:
        raise NoBrowserError("chromium or node is not installed")
    _bring()
    command = [node, str(DRIVER), str(LIBRARY), program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Browser(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(timeout=20)


def _bring() -> None:
    if LIBRARY.exists():
        return
    npm = shutil.which("npm")
    if npm is None:
        raise NoBrowserError("npm is not installed")
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    install = [npm, "install", "--no-fund", "--no-audit", "--prefix", str(FOLDER), f"playwright-core@{VERSION}"]
    brought = subprocess.run(install, capture_output=True, text=True, check=False)
    if brought.returncode:
        raise NoBrowserError(f"npm does not bring playwright-core: {brought.stderr.strip()[-200:]}")
