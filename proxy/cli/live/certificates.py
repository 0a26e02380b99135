"""What clients of the intercept door must trust, for the commands that tell them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from proxy.intercept.extra import require_extra
from proxy.supervisor.ways.proxied import Certificates
from proxy.wiring.folder import DataFolder

if TYPE_CHECKING:
    from proxy.intercept.authority import Authority  # needs the extra


def the_authority(folder: DataFolder, ca_bundle: Path | None) -> Authority:
    """The data folder's authority with its bundle; made when there is none.

    Raises:
        MissingExtraError: the extra is not installed.
        CannotWriteError: it cannot be made.
        InputError: what stands there is no authority, or has expired.
    """
    require_extra()
    from proxy.intercept import authority  # noqa: PLC0415  only with the extra

    made = authority.the_authority(folder.authority)
    authority.write_stores(made, ca_bundle, os.environ)
    return made


def certificates(folder: DataFolder, ca_bundle: Path | None) -> Certificates:
    """What a command is told. Raises as above."""
    made = the_authority(folder, ca_bundle)
    return Certificates(made.certificate, made.bundle)
