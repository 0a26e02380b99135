"""Answers without what clients write around them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.tool_rules import load
from proxy.ledger.results import ResultKind, ResultText, trimmed, without_numbers
from proxy.ledger.tools import ToolRules
from proxy.sessions import lines

RULES = ToolRules(load())
CLAUDE = "claude-code"
TAB = re.compile(r"\s*(\d+)\t")

UNCHANGED = [
    "Wasted call — file unchanged since your last Read. Refer to that earlier tool_result instead.",
    "File unchanged since last read. The content from the earlier Read tool_result is still current.",
    "<system-reminder>This file is already in your context above.</system-reminder>",
]
DEMANDS = [
    "File has not been read yet. Read it first before writing to it.",
    "File has been modified since read, either by the user or by a linter. Read it again before you write it.",
    "File content has changed since it was last read. This commonly happens when a linter rewrites the file.",
]


def read(text: str, tool: str = "Read", *, is_error: bool = False, form: str = "", client: str = CLAUDE) -> ResultText:
    return RULES.result(client, tool, text, is_error=is_error, form=form)


def as_read(text: str, first: int = 1) -> str:
    """What Claude Code's Read shows of a text, from a line on: number, tab, line."""
    return "\n".join(f"{number}\t{line.removesuffix(chr(13))}" for number, line in enumerate(text.split("\n"), first))


def as_bash(text: str) -> str:
    """What Claude Code's Bash shows of an output: blank lines in front and white space at the end trimmed."""
    return re.sub(r"\A(\s*\n)+", "", text).rstrip()


FILES = st.lists(st.text(alphabet="ab 1\t:.<>{}é→", max_size=12), max_size=12).map("\n".join)


@settings(max_examples=200, deadline=None)
@given(FILES, st.sampled_from(["", "\n", "\n\n"]))
def test_a_file_read_and_the_same_file_printed_are_the_same_content(text: str, end: str) -> None:
    shown, printed = read(as_read(text + end)), read(as_bash(text + end), "Bash")
    assert (shown.text, shown.lines) == (printed.text, printed.lines)


@settings(max_examples=200, deadline=None)
@given(FILES, st.integers(1, 12), st.integers(0, 12))
def test_a_part_of_a_file_is_a_part_of_its_lines(text: str, first: int, count: int) -> None:
    part = "\n".join(text.split("\n")[first - 1 : first - 1 + count])
    whole = lines.pack(read(as_read(text)).lines)
    shown, printed = read(as_read(part, first)), read(as_bash(part), "Bash")
    assert lines.pack(shown.lines) == lines.pack(printed.lines)
    assert not shown.lines or lines.contains(whole, lines.pack(shown.lines))


@settings(max_examples=100, deadline=None)
@given(FILES)
def test_line_ends_of_windows_and_numbered_output_of_shells_make_no_difference(text: str) -> None:
    numbered = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(text.split("\n"), 1))
    plain = read(as_bash(text), "Bash")
    assert read(text.replace("\n", "\r\n"), "Bash").text == plain.text
    assert read(numbered, "Bash", form="numbered").text == plain.text


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=200),
    st.sampled_from(["Read", "Bash", "Edit", "x"]),
    st.booleans(),
    st.sampled_from(["", "numbered", "matches"]),
)
def test_any_answer_is_read_and_read_alike_twice(text: str, tool: str, is_error: bool, form: str) -> None:
    found = read(text, tool, is_error=is_error, form=form)
    assert found == read(text, tool, is_error=is_error, form=form)
    assert found.kind is not ResultKind.ERROR or found.error_type


@pytest.mark.parametrize("text", UNCHANGED)
@pytest.mark.parametrize("is_error", [False, True])
def test_an_unchanged_stub_is_no_content(text: str, is_error: bool) -> None:
    assert read(text, is_error=is_error).kind is ResultKind.UNCHANGED_STUB


def test_a_file_that_quotes_the_stub_is_content() -> None:
    assert read(as_read(UNCHANGED[0])).kind is ResultKind.CONTENT
    assert read(UNCHANGED[0], "Bash").kind is ResultKind.CONTENT


@pytest.mark.parametrize("text", DEMANDS)
@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
def test_a_refusal_that_asks_for_the_file_to_be_read_is_a_demand(text: str, tool: str) -> None:
    assert read(f"<tool_use_error>{text}</tool_use_error>", tool, is_error=True).kind is ResultKind.DEMAND
    assert read(text, tool, is_error=True).kind is ResultKind.DEMAND


@pytest.mark.parametrize(
    ("tool", "text", "error_type"),
    [
        ("Nope", "<tool_use_error>Error: No such tool available: Nope</tool_use_error>", "unknown_tool"),
        ("Read", "<tool_use_error>InputValidationError: Read failed</tool_use_error>", "schema_mismatch"),
        ("Bash", "Permission to use Bash with command rm x has been denied.", "permission"),
        ("Edit", "The user doesn't want to proceed with this tool use. The tool use was rejected", "permission"),
        ("Write", "Claude requested permissions to write to /a, but you haven't granted it yet.", "permission"),
        ("Bash", "Exit code 143\nCommand timed out after 2m 0s", "timeout"),
        ("Read", "File does not exist. Note: your current working directory is /w.", "not_found"),
        ("Bash", "Exit code 1\ncat: x: No such file or directory", "not_found"),
        ("Bash", "Exit code 1\n2 failed, 3 passed in 0.1s", "test_failure"),
        ("Bash", "Exit code 1\nFAILED tests/test_x.py::test_y - assert 1 == 2", "test_failure"),
        ("Bash", "Exit code 101\ntest result: FAILED. 1 passed; 1 failed", "test_failure"),
        ("Bash", "Exit code 2\nsome output", "exit"),
        ("Edit", "<tool_use_error>String to replace not found in file.</tool_use_error>", "edit_mismatch"),
        ("Bash", "gibberish", "other"),
        ("Bash", "", "other"),
    ],
)
def test_errors_are_told_apart(tool: str, text: str, error_type: str) -> None:
    found = read(text, tool, is_error=True)
    assert (found.kind, found.error_type) == (ResultKind.ERROR, error_type)


def test_generic_errors_of_other_clients_are_told_apart() -> None:
    def error(text: str) -> str:
        return read(text, "read_file", is_error=True, client="").error_type

    assert error("Error: unknown tool 'x'") == "unknown_tool"
    assert error("Missing required argument: path") == "schema_mismatch"
    assert error("EACCES: not allowed") == "permission"
    assert error("Request timed out") == "timeout"


def test_reminders_around_a_result_are_not_its_content() -> None:
    text = as_read("a\nb\n")
    partial = "<system-reminder>[Truncated: PARTIAL view — showing lines 1-2 of 9 total]</system-reminder>\n"
    tail = "\n\n<system-reminder>\nAny\nthing.\n</system-reminder>\n"
    assert read(partial + text + tail + tail).text == "a\nb"


def test_reminders_inside_a_file_are_its_content() -> None:
    text = "a\n<system-reminder>x</system-reminder>\nb"
    assert read(as_read(text)).text == text
    assert read(as_read("x\n<system-reminder>\ny\n</system-reminder>")).text.endswith("</system-reminder>")


@pytest.mark.parametrize(
    "text",
    [
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
        "<system-reminder>Warning: the file exists but is shorter than the provided offset (9).</system-reminder>",
        "",
        "1\t",
    ],
)
def test_a_notice_in_place_of_content_is_empty_content(text: str) -> None:
    found = read(text)
    assert (found.kind, found.text, found.lines) == (ResultKind.CONTENT, "", ())


def test_an_empty_output_and_an_empty_file_are_the_same() -> None:
    assert read("(Bash completed with no output)", "Bash").text == ""
    assert read("a\nShell cwd was reset to /w", "Bash").text == "a"


def test_a_shell_that_was_put_back_is_told() -> None:
    assert read("a\nShell cwd was reset to /w/", "Bash").shell_cwd == "/w"
    assert read("Exit code 1\nShell cwd was reset to /w", "Bash", is_error=True).shell_cwd == "/w"
    assert read("Shell cwd was reset to /w\nis a line of this file", "Bash").shell_cwd == ""


def test_the_first_line_number_is_told() -> None:
    assert read(as_read("a\nb", 41)).first_line == 41
    assert read("a\nb", "Bash").first_line is None


def test_older_and_newer_line_number_styles_are_alike() -> None:
    assert read("     1→a\n     2→\tb").text == read("1\ta\n2:\tb").text == "a\n\tb"


def test_numbers_that_do_not_count_up_are_content() -> None:
    assert without_numbers("1\ta\n3\tb", TAB) == ("a\n3\tb", 1)
    assert without_numbers("a\n1\tb", TAB) == ("a\n1\tb", None)
    assert without_numbers("7\ta\n\n8\tb", TAB) == ("a\n\nb", 7)


@pytest.mark.parametrize(
    ("form", "line", "expected"),
    [
        ("matches", "src/a.py:12:def f():", "def f():"),
        ("matches", "src/a-b.py-13-    pass", "    pass"),
        ("matches", "12:x = a[1:10:2]", "x = a[1:10:2]"),
        ("matches", "--", "--"),
        ("paths", "src/a.py:def f():", "def f():"),
        ("", "src/a.py:12:def f():", "src/a.py:12:def f():"),
    ],
)
def test_lines_of_a_search_compare_with_the_file_s_lines(form: str, line: str, expected: str) -> None:
    found = read(line, "Bash", form=form)
    assert (found.text, found.lines) == (line, (expected,))


def test_the_search_tool_of_claude_code_shows_places() -> None:
    assert read("a.py:3:x = 1\n\n[Showing results with pagination = limit: 1]", "Grep").lines == ("x = 1",)


def test_the_text_editor_s_header_and_numbers_are_decoration() -> None:
    text = "Here's the result of running `cat -n` on /a/b.c:\n     1\tint x;\n     2\t\n"
    assert read(text, "str_replace_based_edit_tool", client="").text == "int x;"


def test_codex_headers_are_decoration() -> None:
    def output(chunk: str) -> str:
        return read(f"Chunk ID: {chunk}\nWall time: 0.0{chunk} seconds\nOutput:\nhi\n", "exec_command", client="").text

    assert output("1") == output("2") == "hi"


def test_opencode_wrappers_and_numbers_are_decoration() -> None:
    text = (
        "<path>/a</path>\n<type>file</type>\n<content>\n1: hello\n2: you\n\n(End of file - total 2 lines)\n</content>"
    )
    assert read(text, "read", client="opencode").text == "hello\nyou"


def test_a_text_is_trimmed_as_shell_tools_trim_it() -> None:
    assert trimmed("  \n\n  a  \n b \n\n") == "  a  \n b"
    assert trimmed("") == trimmed("\n \n") == ""


def test_many_tags_and_large_texts_are_read_in_reasonable_time() -> None:
    hostile = "<system-reminder></system-reminder>\n" * 30_000
    assert read(hostile).kind is ResultKind.CONTENT
    assert read("1" * 1_000_000, form="matches").kind is ResultKind.CONTENT
    assert read("\n" * 1_000_000).text == ""
    assert read("x " * 500_000, is_error=True).error_type == "other"


def test_gemini_cli_s_notices_and_group_numbers_are_decoration() -> None:
    part = (
        "\nIMPORTANT: The file content has been truncated.\nStatus: Showing lines 2-3 of 9 total lines.\n"
        "Action: To read more of the file, …\n\n--- FILE CONTENT (truncated) ---\ntwo\nthree"
    )
    assert read(part, "read_file", client="gemini-cli").lines == ("two", "three")
    runs = [
        read(
            f"<untrusted_context>\nOutput: one\ntwo\nProcess Group PGID: {number}\n</untrusted_context>",
            "run_shell_command",
            client="gemini-cli",
        )
        for number in (17, 4711)
    ]
    assert [run.lines for run in runs] == [("one", "two")] * 2


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("read_files", '[{"query":"/a.py","result":" 1 | one\\n 2 | two","success":true}]'),
        ("run_commands", '[{"query":"cat /a.py","result":"one\\ntwo\\n","success":true}]'),
        ("bash", '{"returncode": 0, "output": "one\\ntwo\\n"}'),
    ],
)
def test_content_inside_an_answer_that_is_json_compares_with_the_file(tool: str, answer: str) -> None:
    assert read(answer, tool, client="").lines == ("one", "two")


@pytest.mark.parametrize("text", ['{"name": "package"}', '{"output": 5}', "[1, 2]", '{"output": "cut', "{}"])
def test_a_file_that_is_json_without_such_a_field_is_content(text: str) -> None:
    assert read(text, "bash", client="").text == text
