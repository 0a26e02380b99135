"""What is wrong with the settings, all of it at once."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

_SECRET_NAME = re.compile(r"(token|password|passwd|secret|key)$", re.IGNORECASE)
_USERINFO = re.compile(r"//[^/@\s]*@")


@dataclass(frozen=True, slots=True)
class Problem:
    """One setting that cannot be used."""

    key: str
    value: object
    origin: str
    """`default`, a file's path, `environment NAME`, `command line --option`."""
    wrong: str
    """What is wrong and what would be right, in one sentence without a full stop."""

    def __str__(self) -> str:
        return f"{self.key} = {shown(self.key, self.value)} (from {self.origin}): {self.wrong}"


def shown(key: str, value: object) -> str:
    """A value as the settings file writes it, without what somebody meant as a secret, or put into an address."""
    if _SECRET_NAME.search(key):
        return "(not shown)"
    return _USERINFO.sub("//***@", json.dumps(value, ensure_ascii=False, default=str))


class SettingsError(Exception):
    """Settings that cannot be used; `str()` names key, value and origin of each."""

    exit_code = 78

    def __init__(self, problems: Sequence[Problem]) -> None:
        super().__init__("\n".join(f"settings: {problem}" for problem in problems))
        self.problems = tuple(problems)
