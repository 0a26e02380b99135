"""A scan's journey: settings to objects, without a store."""

from __future__ import annotations

import tempfile
from pathlib import Path

from config import tool_rules
from config.settings import Settings
from proxy.accounting.price_file import load_prices
from proxy.accounting.prices import Pricer
from proxy.accounting.tokens import TokenCounter
from proxy.journey import Journey, Ports
from proxy.ledger.ledger import Instruments
from proxy.ledger.tools import ToolRules
from proxy.wire.body_secrets import BodySecrets
from proxy.wiring.settings import data_folder

SOURCE = "recorded"
"""V25: what a client wrote down is no live traffic."""


def scanning_journey(settings: Settings) -> Journey:
    """The line that transcripts are driven through.

    Raises:
        InputError: a rules or price file is not what it should be.
    """
    pricer = Pricer(load_prices(settings.prices.override)) if settings.prices.override else Pricer()
    instruments = Instruments(
        tools=ToolRules(tool_rules.load(settings.tools.files)),
        count=_counter(data_folder(settings).vocabulary).count,
        redact=BodySecrets(settings.capture.redact).redact_text,
    )
    return Journey(Ports(instruments=instruments, price=pricer.price, source=SOURCE))


def _counter(vocabulary: Path) -> TokenCounter:
    """A scan leaves no trace: without a data folder the vocabulary is unpacked to where it does not stay."""
    if vocabulary.is_dir():
        return TokenCounter(vocabulary)
    with tempfile.TemporaryDirectory(prefix="compaction-gate-") as folder:
        return TokenCounter(Path(folder))
