"""Whether the extra is installed: mitmproxy pins nearly all it needs, so the product does without it until asked."""

from __future__ import annotations

from importlib.util import find_spec

from proxy.model.errors import GateError

NEEDED = ("mitmproxy", "cryptography")
INSTALL = "pip install 'compaction-gate[intercept]'"


class MissingExtraError(GateError):
    """This installation lacks what the intercept door is made of."""

    exit_code = 78


def require_extra() -> None:
    """Say what to type when the extra is missing.

    Raises:
        MissingExtraError: it is.
    """
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"the intercept door needs {' and '.join(missing)}; install it with: {INSTALL}")
