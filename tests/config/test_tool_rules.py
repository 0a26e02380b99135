"""Tool rules from YAML: what is wrong is refused by file, line and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.errors import SettingsError
from config.tool_rules import load, read


def wrong(text: str, folder: Path) -> str:
    file = folder / "mine.yaml"
    file.write_text(text)
    with pytest.raises(SettingsError) as caught:
        load([file])
    return str(caught.value).replace(str(file), "mine.yaml")


def test_the_shipped_rules_are_valid() -> None:
    (shipped,) = load()
    assert shipped["version"] == 1
    assert all(tool["at"].startswith("tools.yaml:") for tool in shipped["tools"])


def test_user_files_come_first_in_their_order(tmp_path: Path) -> None:
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file in files:
        file.write_text(f"version: 1\ntools:\n  - tool: {file.stem}\n")
    assert [document["tools"][0]["tool"] for document in load(files)[:2]] == [["a"], ["b"]]
    assert load(files)[0]["tools"][0]["at"] == "a.yaml:3"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("version: 2\n", ["mine.yaml:1", "version = 2"]),
        ("", ["mine.yaml:1"]),
        ("[]", ["mine.yaml:1"]),
        ("version: 1\ntools:\n  - tool: x\n    clas: retrieval\n", ["mine.yaml:4", "tools.0.clas", "unknown key"]),
        ("version: 1\ntools:\n  - tool: x\n    class: reading\n", ["mine.yaml:4", "tools.0.class", "reading"]),
        ("version: 1\ntools:\n  - class: retrieval\n", ["mine.yaml:3", "tools.0.tool"]),
        ("version: 1\ntools:\n  - tool: []\n", ["mine.yaml:3", "tools.0.tool"]),
        ("version: 1\ntools:\n  - tool: x\n    span: {start: a}\n", ["mine.yaml:4", "span.start", "unknown key"]),
        ("version: 1\nresults:\n  - strip: '('\n", ["mine.yaml:3", "strip", "regular expression"]),
        ("version: 1\nresults:\n  - line_numbers: 'x'\n", ["mine.yaml:3", "line_numbers", "first group"]),
        (
            "version: 1\nresults:\n  - errors: {timeout: ['[']}\n",
            ["mine.yaml:3", "errors.timeout", "regular"],
        ),
        ("version: 1\npolling:\n  commands: ['*']\n", ["mine.yaml:3", "polling.commands", "regular expression"]),
        ("version: 1\ndirectories:\n  - patterns: 'x'\n", ["mine.yaml:3", "patterns", "first group"]),
        ("version: 1\ntools:\n  - {tool: x\n", ["mine.yaml:", "no YAML"]),
        ("version: 1\ntools: &a [*a]\n", ["mine.yaml"]),
        ("version: !!python/object:os.system 1\n", ["mine.yaml:1", "no YAML"]),
        ("[" * 3000, ["mine.yaml", "no YAML"]),
        ("version: 1\ntools:\n  - tool: 5\n", ["mine.yaml:3", "tools.0.tool"]),
        ("version: yes\n", ["mine.yaml:1", "version"]),
    ],
)
def test_what_is_wrong_is_named_with_file_line_and_key(text: str, says: list[str], tmp_path: Path) -> None:
    message = wrong(text, tmp_path)
    assert all(part in message for part in says), message


def test_all_that_is_wrong_in_a_file_is_said_at_once(tmp_path: Path) -> None:
    message = wrong("version: 1\ntools:\n  - {tool: x, a: 1, b: 2}\n", tmp_path)
    assert message.count("unknown key") == 2


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read: No such file"):
        load([tmp_path / "none.yaml"])
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"binary\.yaml.*no UTF-8"):
        load([tmp_path / "binary.yaml"])


def test_the_docs_name_every_key() -> None:
    docs = (Path(__file__).parents[2] / "docs" / "tools.md").read_text()
    (shipped,) = load()
    keys = {*shipped, *shipped["polling"], *shipped["tools"][0], *shipped["tools"][0]["span"], *shipped["results"][0]}
    assert {key for key in keys - {"at"} if f"`{key}`" not in docs and f".{key}`" not in docs} <= {
        "version",
        "zero_based",
    }


def test_the_example_in_the_docs_is_valid(tmp_path: Path) -> None:
    docs = (Path(__file__).parents[2] / "docs" / "tools.md").read_text()
    file = tmp_path / "example.yaml"
    file.write_text(docs.partition("```yaml\n")[2].partition("```")[0])
    assert load([file])[0]["tools"][0]["resource"] == ["article"]


BAD_PARTS = """\
version: 1
tools:
  - tool: good_one
    class: retrieval
  - tool: bad_one
    class: reading
  - tool: good_two
results:
  - strip: '('
  - tool: good_one
    strip: 'x'
polling:
  commands: ['^ps$', '(', '^top$']
programs:
  - {program: jqx, class: retrieval}
  - {program: bad, class: unknown}
spare: 1
"""


def test_what_is_wrong_in_a_file_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(BAD_PARTS)
    found = read([file])
    mine = found.documents[0]
    assert [tool["tool"] for tool in mine["tools"]] == [["good_one"], ["good_two"]]
    assert [tool["at"] for tool in mine["tools"]] == ["mine.yaml:3", "mine.yaml:7"]
    assert [result["tool"] for result in mine["results"]] == [["good_one"]]
    assert mine["polling"]["commands"] == ["^ps$", "^top$"]
    assert [one["program"] for one in mine["programs"]] == [["jqx"]]
    told = [(problem.origin.rpartition(":")[2], problem.key) for problem in found.problems]
    assert told == [
        ("6", "tools.1.class"), ("9", "results.0.strip.0"), ("16", "programs.1.class"),
        ("13", "polling.commands.1"), ("17", "spare"),
    ]  # fmt: skip


def test_a_file_that_is_wrong_as_a_whole_is_refused_even_so(tmp_path: Path) -> None:
    for text in ("version: 2\n", "[]", "tools: []\n", "version: 1\ntools: {"):
        file = tmp_path / "mine.yaml"
        file.write_text(text)
        with pytest.raises(SettingsError):
            read([file])


def test_a_key_of_the_wrong_shape_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("version: 1\ntools: 5\npolling: {commands: ['^x$'], waiting: {}}\n")
    found = read([file])
    assert found.documents[0]["tools"] == []
    assert [problem.key for problem in found.problems] == ["tools", "polling.waiting.0"]
