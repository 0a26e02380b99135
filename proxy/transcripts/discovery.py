"""Paths to files. Folders are walked, each real folder once, so that links cannot lead in circles."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from proxy.transcripts.lines import reason_of
from proxy.transcripts.trouble import Trouble

DEFAULT_FOLDERS = (".claude/projects", ".codex/sessions")
"""Where Claude Code and Codex keep their transcripts, below the user's home."""

IN_CIRCLES = "a link that leads in circles"
NO_FILE = "neither a file nor a folder"

_Key = tuple[int, int]
"""Device and number."""


def default_paths(home: Path) -> list[Path]:
    """The clients' own folders, those that are there."""
    return [path for name in DEFAULT_FOLDERS if (path := home / name).is_dir()]


def find_files(paths: Iterable[Path], trouble: Trouble) -> list[Path]:
    """All files at or below the paths, in a fixed order, each once; what cannot be listed is noted."""
    walk = _Walk(trouble)
    return [file for path in paths for file in walk.below(path)]


class _Walk:
    """Depth first, without recursion: folders can be nested deeper than calls."""

    def __init__(self, trouble: Trouble) -> None:
        self._trouble = trouble
        self._met: set[_Key] = set()
        """Every file and folder that was met."""

    def below(self, top: Path) -> Iterator[Path]:
        waiting: list[Iterator[Path]] = [iter((top,))]
        above: list[_Key] = []
        """The folders whose members are waiting, but for the first: what was asked for lies in none."""
        while waiting:
            path = next(waiting[-1], None)
            if path is None:
                waiting.pop()
                del above[-1:]
                continue
            try:
                status = path.stat()
                key = (status.st_dev, status.st_ino)
                if not self._is_new(key, above, path):
                    continue
                if stat.S_ISREG(status.st_mode):
                    yield path
                elif stat.S_ISDIR(status.st_mode):
                    waiting.append(map(path.joinpath, sorted(os.listdir(path))))  # noqa: PTH208  names alone
                    above.append(key)
                else:
                    self._trouble.note(NO_FILE, str(path))
            except OSError as error:
                self._trouble.note(reason_of(error), str(path))

    def _is_new(self, key: _Key, above: Sequence[_Key], path: Path) -> bool:
        if key not in self._met:
            self._met.add(key)
            return True
        if key in above:
            self._trouble.note(IN_CIRCLES, str(path))
        return False
