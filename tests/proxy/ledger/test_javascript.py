"""Scripts that call tools: what is told from their text, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.ledger.javascript import NestedCall, read_script
from proxy.model.facts import ToolClass
from tests.support.journey import shipped_rules

CAT = NestedCall("exec_command", {"cmd": "cat a"})


@pytest.mark.parametrize(
    "text",
    [
        'const r = await tools.exec_command({"cmd": "cat a"});\ntext(r.output);',
        "text((await tools.exec_command({cmd: 'cat a'})).output)",
        "// look\nlet r = await tools['exec_command']({'cmd': `cat a`,}); text(r.output)",
        "text((await tools.exec_command({cmd: 'cat \\x61'})).output)",
        "text((await tools.exec_command({cmd: 'c\\u0061t \\u{61}'})).output)",
    ],
)
def test_a_script_that_shows_one_answer_is_that_call(text: str) -> None:
    script = read_script(text)
    assert script is not None
    assert script.calls == (CAT,)
    assert script.is_plain is ("[" not in text)


@pytest.mark.parametrize(
    "text",
    [
        "const r = await tools.exec_command({cmd: 'cat a'}); text(r.output.slice(0, 9));",
        "const r = await tools.exec_command({cmd: 'cat a'}); if (r.exit_code) text(r.output);",
        "await tools.exec_command({cmd: 'cat a'});",
        "const r = await tools.exec_command({cmd: 'cat a'}); text(r.output); text(r.output);",
    ],
)
def test_a_script_that_makes_something_of_the_answer_is_not_plain(text: str) -> None:
    script = read_script(text)
    assert script is not None
    assert (script.calls, script.is_plain) == ((CAT,), False)


@pytest.mark.parametrize(
    "text",
    [
        "", "text('hi')", "let x = {{{", "x".ljust(1 << 19), "tools.exec_command(given)",
        "for (const f of ['a']) await tools.exec_command({cmd: 'cat ' + f})", "tools.exec_command({cmd: `cat ${f}`})",
        "tools.exec_command({...given})", "tools.exec_command({cmd: 'a'}, 2)", "tools[name]({})", "tools.x({a: 0x1F})",
    ],
)  # fmt: skip
def test_what_only_the_running_script_knows_is_not_read(text: str) -> None:
    assert read_script(text) is None


@given(st.text() | st.from_regex(r"(const r = )?(await )?tools\.\w+\(\{[\w: '\\`\"$,.]*\}\)[;.]*", fullmatch=True))
def test_no_text_breaks_the_reader(text: str) -> None:
    read_script(text)


def exec_(text: str) -> tuple[ToolClass, str, tuple[str, ...]]:
    access = shipped_rules().access("codex", "exec", None, cwd="/repo", raw=text)
    return access.tool_class, access.key, access.mutates


def test_a_script_is_keyed_as_the_command_it_runs() -> None:
    plain = exec_("text((await tools.exec_command({cmd: \"sed -n '1,5p' a.py\"})).output)")
    assert plain == (ToolClass.RETRIEVAL, "read:/repo/a.py:1-5", ())
    assert plain[1] == shipped_rules().access("codex", "exec_command", {"cmd": "head -5 a.py"}, cwd="/repo").key


def test_two_reads_in_one_script_are_two_resources() -> None:
    text = "".join(f"text((await tools.exec_command({{cmd: 'cat {name}'}})).output);" for name in "ab")
    assert exec_(text)[1] == "read:/repo/a:|read:/repo/b:"


def test_the_least_harmless_call_decides() -> None:
    writes = "text((await tools.exec_command({cmd: 'cat a'})).output); await tools.apply_patch({input: '*** Begin'})"
    assert exec_(writes)[0] is ToolClass.EXECUTION
    unknown = "text((await tools.exec_command({cmd: 'cat a'})).output); await tools.frobnicate({})"
    assert exec_(unknown)[0] is ToolClass.UNKNOWN
    assert exec_("tools.exec_command(given)")[::2] == (ToolClass.UNKNOWN, ("",))


def test_a_script_that_cuts_the_answer_has_a_key_of_its_own() -> None:
    cut = "text((await tools.exec_command({cmd: 'cat a'})).output.slice(0, 9))"
    assert exec_(cut)[1].startswith("read:/repo/a:via=")
    assert exec_(cut) == exec_(cut)


def test_a_scripts_answer_is_compared_without_its_header() -> None:
    rules, head = shipped_rules(), "Script completed\nWall time 0.1 seconds\nOutput:\n\n"
    shown = [rules.result("codex", "functions.exec", text, is_error=False).text for text in (f"{head}a\nb\n", "a\nb")]
    assert shown == ["a\nb", "a\nb"]
