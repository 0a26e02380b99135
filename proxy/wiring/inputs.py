"""Looks at the files that settings name before anything is started with them."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution

from config import tool_rules
from config.settings import Settings
from proxy.accounting.price_file import load_prices
from proxy.model.errors import InputError
from proxy.store import open_database
from proxy.wire.body_secrets import BodySecrets
from proxy.wiring.relay import read_token, relay_settings
from proxy.wiring.settings import relay_spec

EXPORTER = "opentelemetry-exporter-otlp-proto-http"


def check_files(settings: Settings) -> None:
    """Read tokens, certificates, prices and rules.

    Raises:
        InputError: a file is not what it should be; it is named.
        SettingsError: a rule in `tools.files` cannot be used.
    """
    relay_settings(relay_spec(settings))
    if settings.admin.token_file:
        read_token(settings.admin.token_file)
    if settings.prices.override:
        load_prices(settings.prices.override)
    if settings.tools.files:
        tool_rules.load(settings.tools.files)
    BodySecrets(settings.capture.redact)
    if settings.export.otlp.endpoint:
        _check_exporter()


def check_inputs(settings: Settings) -> None:
    """Read the files and open the store, which makes it when there is none.

    Raises:
        InputError: as above, or the store is no store.
        SettingsError: as above.
        NewerVersionError: the store is of a newer version.
        CannotWriteError: the store cannot be used.
    """
    check_files(settings)
    open_database(settings.store.database).close()


def _check_exporter() -> None:
    try:
        distribution(EXPORTER)
    except PackageNotFoundError:
        expected = "the extra `otlp`: pip install 'compaction-gate[otlp]'"
        raise InputError("export.otlp.endpoint", "", f"no {EXPORTER}", expected) from None
