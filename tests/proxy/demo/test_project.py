from __future__ import annotations

from pathlib import Path

import pytest

from proxy.demo import project
from proxy.demo.tools import CheckFailedError


def test_the_project_is_the_same_everywhere(tmp_path: Path) -> None:
    project.lay_out(tmp_path)
    written = {str(p.relative_to(tmp_path)): p.read_text("utf-8") for p in tmp_path.rglob("*") if p.is_file()}
    assert written == project.files()


def test_the_check_fails_until_both_places_say_thirty(tmp_path: Path) -> None:
    project.lay_out(tmp_path)
    with pytest.raises(CheckFailedError, match=r"found 5 in service/config\.py"):
        project.check_timeout(tmp_path)
    config = tmp_path / "service/config.py"
    config.write_text(config.read_text("utf-8").replace(project.WRONG, project.RIGHT), encoding="utf-8")
    with pytest.raises(CheckFailedError, match=r"found 5 in config/app\.yaml"):
        project.check_timeout(tmp_path)
    deployment = tmp_path / "config/app.yaml"
    deployment.write_text(deployment.read_text("utf-8").replace("_s: 5\n", "_s: 30\n"), encoding="utf-8")
    assert project.check_timeout(tmp_path) == "check_timeout passed"


def test_a_setting_that_is_gone_fails_the_check(tmp_path: Path) -> None:
    project.lay_out(tmp_path)
    (tmp_path / "service/config.py").write_text("", encoding="utf-8")
    with pytest.raises(CheckFailedError, match="found nothing"):
        project.check_timeout(tmp_path)


@pytest.mark.parametrize("name", [name for name in project.files() if name.endswith(".py")])
def test_its_modules_are_python(name: str) -> None:
    compile(project.files()[name], name, "exec")
