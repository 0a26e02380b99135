"""Exceptions to exit codes (design §10). An unexpected one is our own fault: 70, and a report without contents."""

from __future__ import annotations

import contextlib
import errno
import os
import platform
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

import click

from config.errors import SettingsError
from proxy.cli.invocation import Invocation
from proxy.cli.page import PROGRAM
from proxy.cli.root import OutputClosed
from proxy.model.errors import CannotWriteError, GateError
from proxy.story.showable import clean_line

USAGE, INPUT, OWN_FAULT, INTERRUPTED = 64, 65, 70, 130
NOT_OURS = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS)
"""A disk without room, files without the right: wherever they are met, the place has to change and not the program."""


def run(command: click.Command, arguments: Sequence[str]) -> int:
    """Run a command line and give the process's exit code. Messages go to stderr."""
    said = Invocation()
    try:
        result = command.main(args=list(arguments), prog_name=PROGRAM, standalone_mode=False, obj=said)
        sys.stdout.flush()
    except (OutputClosed, BrokenPipeError):
        _write_no_more()
        return 0
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        error.show()
        return USAGE if isinstance(error, click.UsageError) else INPUT
    except (GateError, SettingsError) as error:
        _say(str(error))
        return error.exit_code
    except Exception as error:  # noqa: BLE001  the outermost: whatever it is, it is ours
        return _unexpected(error, said)
    return result if isinstance(result, int) else 0


def _write_no_more() -> None:
    """What is still in the buffer would fail again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected(error: Exception, said: Invocation) -> int:
    if isinstance(error, OSError) and error.errno in NOT_OURS:
        if error.filename is None:
            _write_no_more()
        _say(f"{error.filename or 'output'}: {os.strerror(error.errno).lower()}")
        return CannotWriteError.exit_code
    _say(_fault(error, said))
    return OWN_FAULT


def _say(message: str) -> None:
    """A message quotes what it found in files, which must not steer a terminal."""
    for line in message.splitlines():
        click.echo(f"{PROGRAM}: {clean_line(line)}", err=True)


def _fault(error: Exception, said: Invocation) -> str:
    where = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{_inside(where.filename)}:{where.lineno}"
    path = _write_report(report(error), said)
    kept = f"report: {path}" if path else "the report could not be written"
    return f"our own fault: {type(error).__name__} at {place}\n{kept} (no contents, no keys)"


def report(error: BaseException) -> str:
    """What happened, without any value: exception texts may quote what went by, so only types and places are told."""
    lines = [f"python {platform.python_version()} on {platform.system()} {platform.release()} {platform.machine()}"]
    chain: BaseException | None = error
    while chain is not None:
        lines.append(f"{type(chain).__module__}.{type(chain).__qualname__} (text withheld)")
        frames = traceback.extract_tb(chain.__traceback__)
        lines += [f"  {_inside(frame.filename)}:{frame.lineno} in {frame.name}" for frame in frames]
        chain = chain.__cause__ or chain.__context__
    return "\n".join(lines) + "\n"


def _inside(filename: str) -> str:
    """The path from its package on, without the folders above, which may name a person."""
    parts = Path(filename).parts
    tops = [index for index, part in enumerate(parts) if part in ("proxy", "gate", "config", "site-packages")]
    return "/".join(parts[tops[-1] :]) if tops else parts[-1]


def _write_report(text: str, said: Invocation) -> Path | None:
    name = f"fault-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}-{os.getpid()}.txt"
    for folder in (_data_folder(said), Path(tempfile.gettempdir())):
        if folder is None or not folder.is_dir():
            continue
        path = folder / name
        try:
            path.touch(mode=0o600)
            path.write_text(text, "utf-8")
        except OSError:
            continue
        return path
    return None


def _data_folder(said: Invocation) -> Path | None:
    """The data folder as far as it is known: the fault may lie in the settings themselves."""
    with contextlib.suppress(Exception):
        from proxy.cli.settings import read  # noqa: PLC0415  only after a fault

        return read(said).settings.store.data
    return said.data
