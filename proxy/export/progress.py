"""How far an exporter has come, as one small file that is replaced at once. Read by the scrape, too."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

from proxy.model.errors import CannotWriteError


@dataclass(slots=True)
class Followed:
    """One session as far as it was sent."""

    turns: dict[str, int] = field(default_factory=dict)
    """The last turn sent of each thread; its re-reads and boundaries went with it."""
    seen_us: int = 0
    """The session's last exchange when it was looked at."""
    ended_us: int = 0
    """The session's last exchange when its own span was sent; 0 before."""


@dataclass(slots=True)
class Progress:
    """Everything that an exporter remembers."""

    since_us: int
    """Sessions that were last active before are not looked at."""
    sent: int = 0
    """Spans that the collector has taken."""
    dropped: int = 0
    """Spans that it did not take within the time for one batch."""
    sessions: dict[str, Followed] = field(default_factory=dict)

    def write(self, path: Path) -> None:
        """Replace the file (mode 0600). Raises OSError."""
        draft = path.with_suffix(".draft")
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(asdict(self), file)
        draft.replace(path)


def read_progress(path: Path) -> Progress | None:
    """What the file says; None when there is nothing that can be read."""
    try:
        told = json.loads(path.read_text("utf-8"))
        sessions = {session: Followed(**followed) for session, followed in told.pop("sessions").items()}
        return Progress(**told, sessions=sessions)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def begin_progress(path: Path, now_us: int) -> None:
    """Let a new exporter begin with what happens from now on; one that has begun goes on. Raises CannotWriteError."""
    if read_progress(path) is not None:
        return
    try:
        Progress(since_us=now_us).write(path)
    except OSError as error:
        raise CannotWriteError(f"{path}: {(error.strerror or type(error).__name__).lower()}") from None
