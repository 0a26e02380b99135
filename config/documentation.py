"""`docs/settings.md`, from the shipped file: every key with its default, its variable and what it means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from config.keys import variable
from config.layers import defaults_text

_TABLE = re.compile(r"\[(?P<name>[a-z._]+)\](\s+#.*)?")
_VALUE = re.compile(r"(?P<key>[a-z_]+) = (?P<value>\S.*?)\s+# (?P<meaning>.+)|(?P<bare>[a-z_]+) = (?P<alone>\S.*)")

HEAD = """\
# Settings

`compaction-gate config init` writes a file with every setting and its default; `config show` prints each value and
where it comes from; `config check` says what is wrong.

- A later source replaces single values: defaults < file < environment < command line.
- The file is the one of `--config`, else of `COMPACTION_GATE_CONFIG`, else
  `~/.config/compaction-gate/compaction-gate.toml`. One in the current folder is never read by itself: a folder that
  somebody else filled could send your keys to its own upstream.
- Unknown keys and variables are refused with key, value, origin and the nearest known one (exit code 78).
- Passwords and tokens are never settings: name a file that holds them. An address with a password is refused.
- Relative paths in a file start at the file's folder, elsewhere at the current one. `~` is your home.
- A list comes from the environment as in the file (`["a", "b"]`); any other text is a list of one.
- `[upstreams.NAME]` may stand up to 16 times; its variable is `COMPACTION_GATE_UPSTREAMS_NAME_URL`.
- `[labels]` takes up to three names of your own ([operate.md](operate.md#labels)): `team = "header:x-compaction-team"`,
  `agent = "client"`; their variables are `COMPACTION_GATE_LABELS_NAME`.
"""


class Setting(NamedTuple):
    """One line of the shipped file."""

    key: str
    default: str
    meaning: str


def shipped_settings() -> Iterator[Setting]:
    """Every line that sets something, in order."""
    table = ""
    for line in defaults_text().splitlines():
        if found := _TABLE.fullmatch(line):
            table = f"{found['name']}."
        elif found := _VALUE.fullmatch(line):
            key, value = found["key"] or found["bare"], found["value"] or found["alone"]
            yield Setting(table + key, value, found["meaning"] or "")


def settings_page() -> str:
    """`docs/settings.md`."""
    rows = [
        f"| `{setting.key}` | `{setting.default}` | `{variable(setting.key)}` | {setting.meaning} |"
        for setting in shipped_settings()
    ]
    return "\n".join([HEAD, "| key | default | variable | meaning |", "|---|---|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    print(settings_page(), end="")  # noqa: T201  python -m config.documentation > docs/settings.md
