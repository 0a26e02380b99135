"""Programs that only the bench needs: where they are, or the line that installs them."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.bench.processes import CannotStartError

MITMPROXY = "mitmproxy==12.3.1"
_PLACES = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin"
INSTALL = {"wrk": "apt-get install wrk", "nginx": "apt-get install nginx-light"}


def tool(name: str) -> str:
    """Path of an installed program. Raises CannotStartError."""
    found = shutil.which(name) or shutil.which(name, path=_PLACES)
    if found is None:
        raise CannotStartError(f"{name} is not installed: {INSTALL[name]}")
    return found


def mitmdump(build: Path) -> str:
    """Path of a mitmdump in a virtual environment of its own, which is made once. Raises CannotStartError.

    Never in the product's environment: mitmproxy caps the versions of nearly everything it depends on.
    """
    venv = build / "mitmproxy"
    program = venv / "bin" / "mitmdump"
    if not program.exists():
        _install(venv)
    try:
        subprocess.run([program, "--version"], check=True, capture_output=True, timeout=120)
    except (OSError, subprocess.SubprocessError):
        raise CannotStartError(f"mitmdump does not run: {_by_hand(venv)}") from None
    return str(program)


def _install(venv: Path) -> None:
    try:
        subprocess.run([sys.executable, "-m", "venv", venv], check=True, capture_output=True)
        pip = [str(venv / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", MITMPROXY]
        subprocess.run(pip, check=True, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        shutil.rmtree(venv, ignore_errors=True)
        raise CannotStartError(f"mitmdump is not installed: {_by_hand(venv)}") from None


def _by_hand(venv: Path) -> str:
    where = Path(*venv.parts[-2:])
    return f"python3 -m venv {where} && {where}/bin/pip install {MITMPROXY}"
