"""Puts rules into the user's file. What stands there stays, byte for byte; a file that cannot be read is left alone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

import yaml

from config import tool_rules
from proxy.cli.rules.suggest import Suggestion, as_yaml
from proxy.model.errors import CannotWriteError, InputError

HEAD = "# Your own tool rules, asked before the shipped ones; docs/tools.md explains every key.\nversion: 1\n"


def write(file: Path, found: Sequence[Suggestion]) -> None:
    """Add the rules to the file, at once or not at all; a missing file is made.

    Raises:
        SettingsError: the file is no rules file; nothing was written.
        InputError: a section stands in one line, so that nothing can be put between; nothing was written.
        CannotWriteError: the folder or file cannot be written.
    """
    file = file.resolve()  # a link stays a link
    before = _former(file)
    after = extended(before, found, source=str(file))
    _replace(file, after)


def extended(text: str, found: Sequence[Suggestion], *, source: str) -> str:
    """The text with the rules as the first entries of their sections.

    Raises:
        InputError: see `write`.
    """
    for section in ("programs", "tools"):
        own = [one for one in found if one.section == section and one.rule]
        if own:
            text = _with_section(text, section, own, source)
    return text


def _former(file: Path) -> str:
    if not file.exists():
        return HEAD
    tool_rules.read([file])
    return file.read_text("utf-8")


def _with_section(text: str, section: str, own: Sequence[Suggestion], source: str) -> str:
    """Block style only: in flow style there is no line to put another between."""
    lines = text.splitlines(keepends=True)
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(node, yaml.MappingNode)
    pair = next((pair for pair in node.value if pair[0].value == section), None)
    if pair is None:
        gap = "" if text.endswith("\n") or not text else "\n"
        return f"{text}{gap}{section}:\n" + "\n".join(as_yaml(own)) + "\n"
    key, value = pair
    if not isinstance(value, yaml.SequenceNode) or value.flow_style or not value.value:
        where = f"line {key.start_mark.line + 1}"
        raise InputError(source, where, f"`{section}` in one line", f"`{section}:` with one entry below for each rule")
    indent = " " * value.start_mark.column
    at = key.start_mark.line + 1
    return "".join([*lines[:at], "\n".join(as_yaml(own, indent)) + "\n", *lines[at:]])


def _replace(file: Path, text: str) -> None:
    mode = file.stat().st_mode & 0o777 if file.exists() else 0o600
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        draft = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(text)
            tool_rules.read([draft])
            draft.chmod(mode)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise CannotWriteError(f"{file}: {(error.strerror or 'cannot be written').lower()}") from None
