"""Shell text to pipelines of simple commands."""

from __future__ import annotations

import pytest

from proxy.ledger.shell.script import Group, Pipeline, Redirect, Simple, parse
from proxy.ledger.shell.words import Word


def first(command: str) -> Simple | Group:
    found = parse(command)
    assert found
    return found[0].stages[0]


def words(stage: Simple | Group) -> list[object]:
    assert isinstance(stage, Simple)
    return [word.parts[0] if len(word.parts) == 1 else word.parts for word in stage.words]


@pytest.mark.parametrize("command", ["cat 'a", "cat f )", "if true; then", "cd x; (", "a" * 300_000])
def test_what_is_no_shell_text_or_too_long_is_not_parsed(command: str) -> None:
    assert parse(command) is None


def test_stages_and_lists_come_in_order() -> None:
    found = parse("a | b && c; d")
    assert found is not None
    assert [[words(stage) for stage in pipeline.stages] for pipeline in found] == [[["a"], ["b"]], [["c"]], [["d"]]]


def test_a_redirection_behind_a_list_belongs_to_its_last_command() -> None:
    found = parse("a && b | c > out")
    assert found is not None
    redirected = [stage.redirects for pipeline in found for stage in pipeline.stages]
    assert redirected == [(), (), (Redirect(">", Word(("out",))),)]


def test_words_behind_a_redirection_are_arguments() -> None:
    assert words(first("cat > out a b")) == ["cat", "a", "b"]


def test_the_line_of_a_here_document_goes_on_behind_it() -> None:
    found = parse("cat <<E | grep x && ls\nbody\nE\nwc f")
    assert found is not None
    assert [len(pipeline.stages) for pipeline in found] == [2, 1]
    assert parse("cat <<E > f && cat f\nbody\nE\n") == (
        Pipeline(
            (Simple((Word(("cat",)),), redirects=(Redirect("<<", None), Redirect(">", Word(("f",))))),),
        ),
        Pipeline((Simple((Word(("cat",)), Word(("f",)))),)),
    )


def test_substitutions_stand_beside_the_command_that_holds_them() -> None:
    stage = first('echo "$(rm x)" `rm y` <(rm z)')
    assert isinstance(stage, Simple)
    assert [words(pipeline.stages[0]) for pipeline in stage.inner] == [["rm", "x"], ["rm", "y"], ["rm", "z"]]


def test_a_here_document_runs_its_substitutions_unless_quoted() -> None:
    assert isinstance(run := first("cat <<E\n$(rm x)\nE\n"), Simple)
    assert run.inner
    assert isinstance(quoted := first("cat <<'E'\n$(rm x)\nE\n"), Simple)
    assert not quoted.inner


def test_a_loop_variable_is_not_known() -> None:
    found = parse("for f in a b; do cat $f; done")
    assert found is not None
    assert found[0].stages == (Simple((), (("f", Word((None,))),)),)


def test_nesting_is_bounded() -> None:
    assert parse("{ " * 40 + "a" + "; }" * 40) is not None
    assert parse("{ " * 80 + "a" + "; }" * 80) is None
