"""What the house promises of its own files: sizes, no machine paths, no registry hosts, nothing left unfinished."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILE_LINES = 300
TEST_LINES = 500
FUNCTION_LINES = 40
PACKAGE_FILES = 14

EXEMPT: dict[str, str] = {}
"""File to the reason why it may be longer; an exemption that is not needed fails."""


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_files_are_short() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in tracked("*.py")
        if (count := len(path.read_text().splitlines())) > (TEST_LINES if "tests" in path.parts else FILE_LINES)
    }
    assert long.keys() == EXEMPT.keys(), long


def test_functions_are_short() -> None:
    long = []
    for path in tracked("proxy/*.py", "gate/*.py", "config/*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > FUNCTION_LINES:
                    long.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {lines}")
    assert long == []


def test_packages_are_small() -> None:
    folders: dict[Path, int] = {}
    for path in tracked("proxy/*.py", "gate/*.py", "config/*.py"):
        folders[path.parent] = folders.get(path.parent, 0) + 1
    assert {str(k): v for k, v in folders.items() if v > PACKAGE_FILES} == {}


def test_own_imports_stand_at_the_top() -> None:
    """Only the command line may import inside functions: it must start quickly."""
    late = []
    for path in tracked("proxy/*.py", "config/*.py"):
        if "cli" in path.parts:
            continue
        for function in ast.walk(ast.parse(path.read_text())):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                late += [f"{path.relative_to(ROOT)}:{function.name}" for node in ast.walk(function) if is_own(node)]
    assert late == []


def is_own(node: ast.AST) -> bool:
    names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    names += [name.name for name in node.names] if isinstance(node, ast.Import) else []
    return any(name.partition(".")[0] in ("proxy", "gate", "config") for name in names)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        (r"(?<![\w.])/(work|root|farm)/[a-z.]", "a path of one machine"),
        (r"\b(pypi\.org|files\.pythonhosted\.org|registry\.npmjs\.org|deb\.debian\.org)\b", "a registry's host"),
        (r"\b(TODO|FIXME|XXX|NotImplementedError)\b", "something unfinished"),
    ],
)
def test_no_file_holds(pattern: str, why: str) -> None:
    found = []
    for path in tracked():
        if path == Path(__file__) or path.suffix in {".svg", ".png", ".zst"}:
            continue
        try:
            body = path.read_text()
        except UnicodeDecodeError:
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}"
            for number, line in enumerate(body.splitlines(), 1)
            if re.search(pattern, line)
        ]
    assert found == [], why
