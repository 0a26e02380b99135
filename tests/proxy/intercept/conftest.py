"""mitmproxy's dependencies warn about each other when they are imported; our own warnings stay errors."""

from __future__ import annotations

import contextlib
import importlib
import warnings

with warnings.catch_warnings(), contextlib.suppress(ImportError):
    warnings.simplefilter("ignore", DeprecationWarning)
    importlib.import_module("mitmproxy.addons")
