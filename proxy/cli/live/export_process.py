"""`_export`: the entry of an exporter's process."""

from __future__ import annotations

from pathlib import Path

import click
from pydantic import ValidationError

from config.settings import Settings
from proxy.cli import page
from proxy.model.errors import InputError
from proxy.wiring.export import serve_export
from proxy.wiring.logs import start_logging


@click.command("_export", cls=page.Command, hidden=True, example="_export --spec export.spec.json")
@click.option("--spec", type=click.Path(path_type=Path), required=True, help="What the exporter is told.")
def export(spec: Path) -> None:
    """Run an exporter alone: what `serve` and `wrap` start when `export.otlp.endpoint` is set."""
    try:
        settings = Settings.model_validate_json(spec.read_text("utf-8"))
    except (OSError, ValidationError) as error:
        raise InputError(str(spec), "", type(error).__name__, "an exporter's spec") from None
    start_logging(settings.admin.log, "export")
    serve_export(settings)
