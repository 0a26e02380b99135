"""`python -m tests.conformance.ours.serve_intercept SPEC`: the intercept door's child; its port on stdout."""

from __future__ import annotations

import sys
from pathlib import Path

from proxy.relay.server import Listening
from proxy.wiring.intercept import serve_intercept
from proxy.wiring.spec import read_relay_spec


def say_port(listening: Listening) -> None:
    """Tell the parent."""
    print(listening.port, flush=True)


if __name__ == "__main__":
    serve_intercept(read_relay_spec(Path(sys.argv[1])), say_port)
