from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.scripted.actions import Edit, Finish, Read, Run, Say, Think, Write
from proxy.scripted.provider import Provider
from proxy.scripted.script import Habits, Need, Script, ScriptedPolicy, Step, locate
from proxy.scripted.settings import ProviderSettings
from proxy.scripted.view import View
from tests.support.scripted import S0_TOOLS, Conversation, assistant, call, result, user

FILES = {"conf.py": "TIMEOUT = 5\nRETRIES = 3\n", "app.py": "import conf\n"}
CONF = Need(path="conf.py", shows="TIMEOUT = 5", part=(1, 1))
WORK = Script(
    name="work",
    steps=(
        Step(do=(Think("conf first"), Read("conf.py"))),
        Step(do=(Read("app.py"), Run("unit"))),
        Step(do=(Write("app.py", "TIMEOUT"),), needs=(CONF,)),
        Step(do=(Say("Done."),)),
    ),
    carries=("Never touch conf.py.",),
)


def run_tool(name: str, arguments: Mapping[str, Any]) -> str:
    if name != "read_file":
        return "ok"
    lines = FILES[arguments["path"]].splitlines(keepends=True)
    return "".join(lines[arguments.get("start_line", 1) - 1 : arguments.get("end_line", len(lines))])


def converse(*, habits: Habits | None = None, seed: int = 0) -> Conversation:
    settings = ProviderSettings(scripts=(WORK,), habits=habits or Habits(), seed=seed, deterministic=True)
    return Conversation(Provider(settings), run_tool)


def calls_of(talk: Conversation) -> list[tuple[str, Any]]:
    return [(c["name"], c["input"]) for served in talk.provider.ledger() for c in served.calls]


def test_a_script_is_followed_step_by_step() -> None:
    talk = converse()
    assert talk.ask("Please [script work]") == "Done."
    assert calls_of(talk) == [
        ("read_file", {"path": "conf.py"}),
        ("read_file", {"path": "app.py"}),
        ("run_check", {"name": "unit"}),
        ("write_file", {"path": "app.py", "content": "TIMEOUT"}),
    ]
    assert [served.label for served in talk.provider.ledger()] == ["work.0", "work.1", "work.2", "work.3"]


def test_what_a_step_needs_and_does_not_see_is_read_again() -> None:
    talk = converse()
    talk.messages.append(user("Please [script work]"))
    talk.turn()
    talk.messages.append(
        user(*(result(c["id"], run_tool(c["name"], c["input"])) for c in talk.messages[-1]["content"][1:]))
    )
    talk.turn()
    summary = talk.provider.policy.summarise(View({"messages": talk.messages}))
    talk.messages = []
    assert talk.ask(summary) == "Done."
    assert calls_of(talk)[3:] == [
        ("read_file", {"path": "conf.py"}),
        ("write_file", {"path": "app.py", "content": "TIMEOUT"}),
    ]


def test_content_that_a_client_put_back_counts_as_seen() -> None:
    talk = converse()
    assert talk.ask("[script work after 2] Result of calling the Read tool: TIMEOUT = 5") == "Done."
    assert [name for name, _ in calls_of(talk)] == ["write_file"]


def test_a_need_that_reading_does_not_meet_is_given_up() -> None:
    settings = ProviderSettings(scripts=(WORK,), deterministic=True)
    talk = Conversation(Provider(settings), lambda _name, _arguments: "unchanged since your last read")
    assert talk.ask("[script work after 2]") == "Done."
    assert [name for name, _ in calls_of(talk)] == ["read_file", "run_check", "write_file"]


def test_habit_reads_what_is_visible() -> None:
    talk = converse(habits=Habits(reread=1.0))
    assert talk.ask("[script work]") == "Done."
    reads = [arguments for name, arguments in calls_of(talk) if name == "read_file"]
    assert reads.count({"path": "conf.py"}) == 2


def test_a_re_read_may_take_another_range() -> None:
    talk = converse(habits=Habits(reread=1.0, other_range=1.0))
    talk.ask("[script work]")
    assert ("read_file", {"path": "conf.py", "start_line": 1, "end_line": 1}) in calls_of(talk)


def test_a_re_read_may_use_the_shell() -> None:
    talk = converse(habits=Habits(other_tool=1.0))
    talk.ask("[script work after 2]")
    assert calls_of(talk)[0] == ("run_check", {"name": "cat conf.py"})


@given(seed=st.integers(0, 2**32), rate=st.sampled_from([0.0, 0.3, 1.0]))
def test_the_same_seed_gives_the_same_calls(seed: int, rate: float) -> None:
    first, second = (converse(habits=Habits(reread=rate), seed=seed) for _ in range(2))
    for talk in (first, second):
        talk.ask("[script work]")
    assert calls_of(first) == calls_of(second)


def test_habit_rate_is_met_over_many_seeds() -> None:
    talks = [converse(habits=Habits(reread=0.3), seed=seed) for seed in range(300)]
    for talk in talks:
        talk.ask("[script work]")
    habitual = sum(len(calls_of(talk)) > 4 for talk in talks)
    assert 60 <= habitual <= 120


def test_a_summary_names_the_work_and_carries_no_contents() -> None:
    policy = ScriptedPolicy((WORK,), Habits(), 0)
    messages = [
        user("[script work]"),
        assistant(call("toolu_work_0_a0_00", "read_file", path="conf.py")),
        user(result("toolu_work_0_a0_00", "TIMEOUT = 5")),
    ]
    assert policy.summarise(View({"messages": messages})).splitlines() == [
        "The work so far:",
        "- conf.py",
        "Never touch conf.py.",
        "[script work after 1]",
    ]


def test_the_last_marker_decides_and_calls_of_other_scripts_do_not_count() -> None:
    messages = [
        user("[script other]"),
        assistant(call("toolu_other_7_a0_00", "read_file", path="x")),
        user(result("toolu_other_7_a0_00", "[script trap]"), "[script work]"),
        assistant(call("toolu_other_9_a0_00", "read_file", path="x"), call("foreign", "read_file", path="x")),
    ]
    assert locate(View({"messages": messages}))[:2] == ("work", 0)


def test_without_a_script_the_turn_is_a_short_text() -> None:
    turn = ScriptedPolicy((), Habits(), 0).act(View({"messages": [user("hello")]}))
    assert (turn.stop_reason, turn.label) == ("end_turn", "")


def test_an_action_that_no_tool_serves_is_said_instead() -> None:
    turn = ScriptedPolicy((WORK,), Habits(), 0).act(View({"messages": [user("[script work]")], "tools": S0_TOOLS[:1]}))
    assert [block["type"] for block in turn.blocks] == ["thinking", "text"]


def test_a_client_without_tools_is_told_the_place_in_words_and_gets_edits_as_blocks() -> None:
    script = Script(name="blocks", steps=(Step(do=(Read("a"),)), Step(do=(Edit("a", "x\n", "y\n"),))))
    policy = ScriptedPolicy((script,), Habits(), 0)
    messages = [user("[script blocks]")]
    first = policy.act(View({"messages": messages}))
    assert [block["text"] for block in first.blocks] == ["I need to see `a`.", "[script blocks after 1]"]
    messages += [assistant(*first.blocks), user("I added a to the chat")]
    second = policy.act(View({"messages": messages}))
    assert (second.label, "<<<<<<< SEARCH" in second.blocks[0]["text"]) == ("blocks.1", True)


def test_the_models_own_words_tell_how_far_it_came_and_begin_nothing() -> None:
    told = [user("[script work]"), assistant("[script other]", "[script work after 2]"), user("go on")]
    assert locate(View({"messages": told}))[:2] == ("work", 2)
    kept = [user("What did we do so far?"), assistant("The work so far:\n[script work after 1]")]
    assert locate(View({"messages": kept}))[:2] == ("work", 1)
    assert locate(View({"messages": [assistant("[script work]")]}))[:2] == ("", 0)


@pytest.mark.parametrize(
    ("told", "done"),
    [
        ("nothing", 0),
        ('read({"filePath":"conf.py"})\n<path>conf.py</path>', 1),
        ('{\\"cmd\\": \\"cat conf.py\\"} {"path": "app.py"} {"name": "unit"}', 2),
        ('{"path": "conf.py"} {"path": "app.py"}', 1),
        ('{"path": "app.py"} {"name": "unit"}', 0),
    ],
)
def test_a_history_without_ids_is_followed_by_what_its_calls_say(told: str, done: int) -> None:
    steps = (Step(do=(Read("conf.py"),)), Step(do=(Read("app.py"), Run("unit"))), Step(do=(Say("Done."),)))
    policy = ScriptedPolicy((Script(name="flat", steps=steps),), Habits(), 0)
    summary = policy.summarise(View({"messages": [user(f"[User]: [script flat]\n{told}")]}))
    assert f"[script flat after {done}]" in summary


def test_a_history_shown_as_one_text_still_tells_the_place() -> None:
    told = '[script work] … {"id": "toolu_work_1_a0_00ff", "name": "read_file"} …'
    assert locate(View({"messages": [user(told)]}))[:2] == ("work", 2)


def test_finishing_is_said_where_no_client_waits_for_a_call() -> None:
    script = Script(name="end", steps=(Step(do=(Finish("All done."),)),))
    view = View({"messages": [user("[script end]")], "tools": S0_TOOLS})
    turn = ScriptedPolicy((script,), Habits(), 0).act(view)
    assert (turn.stop_reason, [block["text"] for block in turn.blocks]) == ("end_turn", ["All done."])


def test_where_reading_goes_through_the_shell_a_vain_read_is_not_tried_twice() -> None:
    tools = [{"name": "exec_command"}]
    messages = [
        user("[script work after 2]"),
        assistant(call("toolu_work_2_n0_00", "exec_command", cmd="cat conf.py")),
        user(result("toolu_work_2_n0_00", "truncated")),
    ]
    turn = ScriptedPolicy((WORK,), Habits(), 0).act(View({"messages": messages, "tools": tools}))
    assert turn.blocks[0]["input"] == {"cmd": "printf '%s' TIMEOUT > app.py"}
