"""A LiteLLM proxy, the Python LLM proxy most in use, as a pass-through for Anthropic: one target beside ours.

It is looked for in a virtual environment of its own; nothing of it is a dependency of this project.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.conformance.harness.target import CannotStartError, Target, free_port, stop, wait_for

FOLDER = Path("build/peers/litellm")
VERSION = "1.108.7"
INSTALL = f"python3 -m venv {FOLDER} && {FOLDER}/bin/pip install 'litellm[proxy]=={VERSION}'"
ROUTE = b"/anthropic"
"""Its pass-through route for Anthropic; the base path of the address behind it is kept, and so arrives."""
SETTINGS = """\
model_list: []
litellm_settings:
  num_retries: 0
  request_timeout: 86400
  telemetry: false
"""
START_S = 90.0


@contextmanager
def litellm(upstream_port: int) -> Iterator[Target]:
    """The proxy in a scratch folder, for as long as the block runs. Raises CannotStartError."""
    program = FOLDER / "bin" / "litellm"
    if not program.exists():
        raise CannotStartError(f"--litellm: it is not installed: {INSTALL}")
    with tempfile.TemporaryDirectory(prefix="conformance-litellm-") as name:
        settings, port = Path(name) / "config.yaml", free_port()
        settings.write_text(SETTINGS)
        command = [str(program.absolute()), "--config", str(settings), "--host", "127.0.0.1", "--port", str(port)]
        address = f"http://127.0.0.1:{upstream_port}{ROUTE.decode()}"
        environment = os.environ | {
            "ANTHROPIC_API_BASE": address,
            "LITELLM_LOCAL_MODEL_COST_MAP": "True",
            "LITELLM_LOG": "ERROR",
            "LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY": "true",  # the provider's keys are the client's
            "HOME": name,
        }
        with (Path(name) / "said.txt").open("wb") as said:
            process = subprocess.Popen(command, env=environment, cwd=name, stdout=said, stderr=said)
        try:
            wait_for("127.0.0.1", port, process, patience_s=START_S)
            yield Target(f"LiteLLM {installed()} pass-through", "127.0.0.1", port, base_path=ROUTE, rewrites_json=True)
        finally:
            stop(process)


def installed() -> str:
    """The version that stands in its environment."""
    found = FOLDER.glob("lib/python*/site-packages/litellm-*.dist-info")
    return next((path.name.removeprefix("litellm-").removesuffix(".dist-info") for path in found), "of unknown version")
