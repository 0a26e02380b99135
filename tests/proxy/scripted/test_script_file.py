from __future__ import annotations

from pathlib import Path

import pytest

from proxy.model.errors import InputError
from proxy.scripted.actions import Edit, Either, Fault, FaultKind, Read, Run, Say, Tool
from proxy.scripted.script import Need, Script, Step
from proxy.scripted.script_file import load_scripts

WHOLE = """
[[scripts]]
name = "timeout"
carries = ["Never touch it."]

[[scripts.steps]]
do = [{ say = "I look." }, { read = { path = "a", first = 1, last = 3 } }]

[[scripts.steps]]
do = [{ either = [{ tool = { name = "x", arguments = { a = 1 } } }, { run = "ls" }] }]
fault = { kind = "slow", times = 2, delay_s = 1 }

[[scripts.steps]]
do = [{ edit = { path = "a", old = "5", new = "30" } }]
needs = [{ path = "a", shows = "TIMEOUT_S = 5", part = [1, 40] }]
"""


def loaded(tmp_path: Path, text: str) -> tuple[Script, ...]:
    file = tmp_path / "s.toml"
    file.write_text(text)
    return load_scripts(file)


def test_a_file_says_what_the_dataclasses_say(tmp_path: Path) -> None:
    need = Need(path="a", shows="TIMEOUT_S = 5", part=(1, 40))
    slow = Fault(kind=FaultKind.SLOW, times=2, delay_s=1)
    assert loaded(tmp_path, WHOLE) == (
        Script(
            name="timeout",
            carries=("Never touch it.",),
            steps=(
                Step(do=(Say("I look."), Read("a", 1, 3))),
                Step(do=(Either((Tool("x", {"a": 1}), Run("ls"))),), fault=slow),
                Step(do=(Edit("a", "5", "30"),), needs=(need,)),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scripts = ?", "line 1, column 11: found no TOML"),
        ("scripts = [", "end of document: found no TOML"),
        ("other = 1", "other: found an unknown key, expected one of scripts"),
        ("", "scripts: found nothing"),
        ("scripts = 1", "scripts: found 1, expected a list"),
        ("scripts = [1]", "scripts[1]: found 1, expected a table"),
        ('scripts = [{name = "A", steps = []}]', "scripts[1].name: found 'A', expected lower-case letters"),
        ('scripts = [{name = "a"}]', "scripts[1].steps: found nothing"),
        ('scripts = [{name = "a", steps = []}, {name = "a", steps = []}]', "scripts[2].name: found a second 'a'"),
        ('scripts = [{name = "a", steps = [{do = [{red = "x"}]}]}]', "steps[1].do[1]: found red, expected one of del"),
        ('scripts = [{name = "a", steps = [{do = [{}]}]}]', "do[1]: found an empty table"),
        ('scripts = [{name = "a", steps = [{do = [{say = 1}]}]}]', "do[1].say.text: found 1, expected a text"),
        ('scripts = [{name = "a", steps = [{do = [{read = {path = "x", first = true}}]}]}]', "first: found True"),
        ('scripts = [{name = "a", steps = [{do = [{edit = {path = "x"}}]}]}]', "edit.old: found nothing"),
        ('scripts = [{name = "a", steps = [{do = [], fault = {kind = "no"}}]}]', "fault.kind: found 'no', expected st"),
        (
            'scripts = [{name = "a", steps = [{do = [], needs = [{path = "x", shows = "y", part = [1]}]}]}]',
            "needs[1].part: found 1 values, expected 2 values",
        ),
        (
            'scripts = [{name = "a", steps = [{do = [{tool = {name = "x", arguments = []}}]}]}]',
            "arguments: found a list",
        ),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as refused:
        loaded(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path}/s.toml: ")
    assert said in str(refused.value)


def test_a_file_that_is_not_there_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.toml: found no such file"):
        load_scripts(tmp_path / "none.toml")
    (tmp_path / "b.toml").write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"b\.toml: found bytes that are not UTF-8"):
        load_scripts(tmp_path / "b.toml")
