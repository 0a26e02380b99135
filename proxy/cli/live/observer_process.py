"""`_observer`: the entry of an observer's process."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import ValidationError

from config.settings import Settings
from proxy.cli import page
from proxy.model.errors import InputError
from proxy.wiring.logs import start_logging
from proxy.wiring.observer import serve_observer


@click.command("_observer", cls=page.Command, hidden=True, example="_observer --spec observer.spec.json")
@click.option("--spec", type=click.Path(path_type=Path), required=True, help="What the observer is told.")
@click.option("--source", default="live", help="Where figures come from: live, simulated.")
def observer(spec: Path, source: str) -> None:
    """Run an observer alone: what `serve` and `wrap` start."""
    try:
        settings = Settings.model_validate_json(spec.read_text("utf-8"))
    except (OSError, ValidationError) as error:
        raise InputError(str(spec), "", type(error).__name__, "an observer's spec") from None
    start_logging(settings.admin.log, "observer")
    serve_observer(settings, source=source)
