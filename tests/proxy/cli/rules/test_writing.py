from __future__ import annotations

from pathlib import Path

import pytest

from config import tool_rules
from config.errors import SettingsError
from proxy.cli.rules.suggest import Suggestion
from proxy.cli.rules.writing import write
from proxy.model.errors import CannotWriteError, InputError

TOOL = Suggestion(section="tools", subject="kb_get", reason="2 calls", rule={"tool": "kb_get", "class": "retrieval"})
PROGRAM = Suggestion(
    section="programs", subject="jqx", reason="1 command", rule={"program": "jqx", "class": "retrieval"}
)
NO_RULE = Suggestion(section="tools", subject="x", reason="nothing", rule={})
MINE = """\
# mine, with a comment
version: 1

tools:
    # about this one
    - tool: own   # and this
      class: execution

polling:
  commands: ['^x$']
"""


def tools_of(file: Path) -> list[list[str]]:
    return [rule["tool"] for rule in tool_rules.load([file])[0]["tools"]]


def test_a_missing_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    file = tmp_path / "new" / "tools.yaml"
    write(file, [TOOL, PROGRAM, NO_RULE])
    assert tools_of(file) == [["kb_get"]]
    assert tool_rules.load([file])[0]["programs"] == [{"program": ["jqx"], "class": "retrieval"}]
    assert file.stat().st_mode & 0o777 == 0o600
    assert "  # 2 calls\n  - tool: kb_get\n    class: retrieval\n" in file.read_text()


def test_what_stands_there_stays_byte_for_byte(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text(MINE)
    file.chmod(0o644)
    write(file, [TOOL, PROGRAM])
    assert tools_of(file) == [["kb_get"], ["own"]]
    left = iter(file.read_text().splitlines())
    assert all(line in left for line in MINE.splitlines()), "every line is there, in order"
    assert file.stat().st_mode & 0o777 == 0o644
    assert [path.name for path in tmp_path.iterdir()] == ["tools.yaml"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.yaml").write_text(MINE)
    (tmp_path / "tools.yaml").symlink_to(tmp_path / "real.yaml")
    write(tmp_path / "tools.yaml", [TOOL])
    assert (tmp_path / "tools.yaml").is_symlink()
    assert tools_of(tmp_path / "real.yaml") == [["kb_get"], ["own"]]


@pytest.mark.parametrize("text", ["version: 1\ntools: {", "version: 2\n", "\x00"])
def test_a_file_that_cannot_be_read_is_left_alone(tmp_path: Path, text: str) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError):
        write(file, [TOOL])
    assert file.read_text() == text


def test_a_section_in_one_line_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text("version: 1\ntools: [{tool: a}]\n")
    with pytest.raises(InputError, match=r"tools\.yaml: line 2: found `tools` in one line"):
        write(file, [TOOL])
    assert file.read_text() == "version: 1\ntools: [{tool: a}]\n"


def test_a_file_without_a_last_line_end_and_without_the_section_gets_both(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text("version: 1")
    write(file, [TOOL])
    assert file.read_text() == "version: 1\ntools:\n  # 2 calls\n  - tool: kb_get\n    class: retrieval\n"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "folder").write_text("a file")
    with pytest.raises(CannotWriteError, match="folder"):
        write(tmp_path / "folder" / "tools.yaml", [TOOL])
