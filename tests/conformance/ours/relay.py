"""Our relay as a child process with a journal and a page of its own, pointed at the suite's upstream."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

from tests.conformance.harness.target import START_S, CannotStartError, Target, stop

NAME = "compaction-gate"
RUN = b"conformance-run_5f2b7c9e"
"""The run tag that was issued."""
NEVER = 1 << 62
"""No disk has so many bytes free: a floor this high keeps recording off."""


@dataclass(frozen=True, slots=True)
class Spec:
    """What a probe wants of the relay; the rest are the relay's defaults."""

    upstreams: Mapping[str, str]
    """Name to URL."""
    default: str = ""
    token_sha256: str = ""
    run_digests: tuple[str, ...] = ()
    connect_timeout_s: float = 1.0
    drain_s: float = 0.5
    egress: str = ""
    egress_exceptions: str = ""
    ca_bundle: str = ""
    server_names: Mapping[str, str] = field(default_factory=dict)
    is_recorded: bool = True
    listen_fd: int | None = None
    """A listening socket to inherit."""


class OwnRelay(NamedTuple):
    """A running relay."""

    target: Target
    folder: Path
    """Everything it writes: journal, page, what it says."""
    process: subprocess.Popen[bytes]


def plain(upstream_port: int) -> Spec:
    """One upstream, and it is the default one."""
    return Spec({"anthropic": f"http://127.0.0.1:{upstream_port}"}, default="anthropic")


def usual(upstream_port: int) -> Spec:
    """The relay that most probes talk to: a default upstream, one with a base path, one that is not there, a run."""
    address = f"http://127.0.0.1:{upstream_port}"
    return replace(
        plain(upstream_port),
        upstreams={"anthropic": address, "other": f"{address}/gateway/v9", "dead": "http://127.0.0.1:1"},
        run_digests=(hashlib.sha256(RUN).hexdigest(),),
    )


@contextmanager
def running(spec: Spec) -> Iterator[OwnRelay]:
    """A relay for as long as the block runs. Raises CannotStartError."""
    with tempfile.TemporaryDirectory(prefix="conformance-relay-") as name:
        folder = Path(name)
        (folder / "spec.json").write_text(json.dumps(asdict(spec)))
        with (folder / "said.txt").open("wb") as said:
            process = subprocess.Popen(
                [sys.executable, "-m", "tests.conformance.ours.serve", name],
                stdout=subprocess.PIPE,
                stderr=said,
                pass_fds=() if spec.listen_fd is None else (spec.listen_fd,),
            )
        try:
            port = read_port(process)
            if port is None:
                raise CannotStartError(f"our relay did not start:\n{(folder / 'said.txt').read_text()}")
            yield OwnRelay(Target(NAME, "127.0.0.1", port, is_ours=True), folder, process)
        finally:
            stop(process)


def read_port(process: subprocess.Popen[bytes]) -> int | None:
    """The port a child says it listens on; None when it ends, or is killed here after a while, without a word."""
    assert process.stdout is not None
    watchdog = threading.Timer(START_S, process.kill)
    watchdog.start()
    try:
        line = process.stdout.readline()
    finally:
        watchdog.cancel()
        process.stdout.close()
    return int(line) if line.strip().isdigit() else None
