"""Looks at the files that settings name before anything is started with them."""

from __future__ import annotations

import logging
from importlib.metadata import PackageNotFoundError, distribution

from config import tool_rules
from config.settings import Settings
from proxy.accounting.price_file import load_prices
from proxy.ledger.rules import Document
from proxy.model.errors import InputError
from proxy.store import open_database
from proxy.wire.body_secrets import BodySecrets
from proxy.wiring.relay import read_token, relay_settings
from proxy.wiring.settings import relay_spec

EXPORTER = "opentelemetry-exporter-otlp-proto-http"


LOG = logging.getLogger("wiring")


def check_files(settings: Settings) -> None:
    """Read tokens, certificates, prices and rules, and let nothing pass.

    Raises:
        InputError: a file is not what it should be; it is named.
        SettingsError: a rule in `tools.files` cannot be used.
    """
    _check_files(settings)
    tool_rules.load(settings.tools.files)


def rules_in_force(settings: Settings) -> tuple[Document, ...]:
    """The tool rules that can be used, the strongest first; what is left out of a file is logged by file, line and key.

    Raises:
        SettingsError: a file in `tools.files` cannot be read as rules at all.
    """
    found = tool_rules.read(settings.tools.files)
    for problem in found.problems:
        LOG.warning("tool rule left out: %(problem)s", {"problem": problem})
    return found.documents


def _check_files(settings: Settings) -> None:
    relay_settings(relay_spec(settings))
    if settings.admin.token_file:
        read_token(settings.admin.token_file)
    if settings.prices.override:
        load_prices(settings.prices.override)
    BodySecrets(settings.capture.redact)
    if settings.export.otlp.endpoint:
        _check_exporter()


def check_inputs(settings: Settings) -> None:
    """Read the files and open the store, which makes it when there is none.

    Raises:
        InputError: as above, or the store is no store.
        SettingsError: a file in `tools.files` cannot be read as rules at all.
        NewerVersionError: the store is of a newer version.
        CannotWriteError: the store cannot be used.
    """
    _check_files(settings)
    rules_in_force(settings)
    open_database(settings.store.database).close()


def _check_exporter() -> None:
    try:
        distribution(EXPORTER)
    except PackageNotFoundError:
        expected = "the extra `otlp`: pip install 'compaction-gate[otlp]'"
        raise InputError("export.otlp.endpoint", "", f"no {EXPORTER}", expected) from None
