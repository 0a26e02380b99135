"""Actions in the words of each client's tools: one table per client, chosen by the tools that a request offers."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from proxy.scripted.actions import Delegate, Edit, Either, Finish, Read, Run, Search, Tool, ToolAction, Write


class ToolCall(NamedTuple):
    """A tool and its arguments."""

    name: str
    arguments: dict[str, Any]


Words = Mapping[type, Callable[[Any], ToolCall]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """How one client's tools are asked."""

    words: Words
    signs: frozenset[str] = frozenset()
    """Tools that tell this client from others with tools of the same name; all of them are offered."""
    alone: bool = False
    """The client offers its signs and nothing else."""

    def is_spoken(self, offered: frozenset[str]) -> bool:
        """Whether a request that offers these tools comes from this client."""
        return self.signs == offered if self.alone else self.signs <= offered


def in_words(action: ToolAction, offered: frozenset[str]) -> ToolCall | None:
    """The call a client with these tools understands; None when it offers nothing for the action."""
    match action:
        case Tool(name, arguments):
            return ToolCall(name, dict(arguments)) if name in offered else None
        case Either(choices):
            return next((call for choice in choices if (call := in_words(choice, offered)) is not None), None)
    for vocabulary in VOCABULARIES:
        if type(action) in vocabulary.words and vocabulary.is_spoken(offered):
            call = vocabulary.words[type(action)](action)
            if call.name in offered:
                return call
    return None


def in_prose(action: ToolAction) -> str:
    """The action as text, for clients that offer no tools: Aider edits what stands in such blocks."""
    match action:
        case Finish(text):
            return text
        case Edit(path, old, new):
            return _edit_block(path, old, new)
        case Write(path, content):
            return _edit_block(path, "", content)
        case Read(path) | Search(_, path):
            return f"I need to see `{path}`."
    return f"No tool is offered for {type(action).__name__}."


def _edit_block(path: str, old: str, new: str) -> str:
    return f"{path}\n```\n<<<<<<< SEARCH\n{_lines(old)}=======\n{_lines(new)}>>>>>>> REPLACE\n```"


def _lines(text: str) -> str:
    return text if not text or text.endswith("\n") else f"{text}\n"


def _given(**arguments: Any) -> dict[str, Any]:  # noqa: ANN401  arguments of any tool
    return {name: value for name, value in arguments.items() if value is not None}


def _count(action: Read) -> int | None:
    return None if action.last is None else action.last - (action.first or 1) + 1


def _shell_read(action: Read) -> str:
    path = shlex.quote(action.path)
    if action.first is None and action.last is None:
        return f"cat {path}"
    return f"sed -n '{action.first or 1},{action.last or '$'}p' {path}"


def _shell_search(action: Search) -> str:
    return f"grep -rn {shlex.quote(action.text)} {shlex.quote(action.folder)}"


def _shell_edit(action: Edit) -> str:
    """GNU sed; `-z` lets a pattern reach over line ends."""
    old, new = action.old, action.new
    if old.endswith("\n") and new.endswith("\n"):
        old, new = old[:-1], new[:-1]
    pattern = re.sub(r"([\\/.*\[\]^$])", r"\\\1", old).replace("\n", "\\n")
    replacement = re.sub(r"([\\/&])", r"\\\1", new).replace("\n", "\\n")
    option = "-i -z" if "\n" in old else "-i"
    return f"sed {option} {shlex.quote(f's/{pattern}/{replacement}/')} {shlex.quote(action.path)}"


def _shell_write(action: Write) -> str:
    path = shlex.quote(action.path)
    if action.content.endswith("\n"):
        return f"cat > {path} <<'EOF'\n{action.content}EOF"
    return f"printf '%s' {shlex.quote(action.content)} > {path}"


def _by_shell(ask: Callable[[str], ToolCall]) -> Words:
    """Everything through a shell."""
    return {
        Read: lambda action: ask(_shell_read(action)),
        Search: lambda action: ask(_shell_search(action)),
        Edit: lambda action: ask(_shell_edit(action)),
        Write: lambda action: ask(_shell_write(action)),
        Run: lambda action: ask(action.command),
    }


def _patch_of(action: Edit | Write) -> str:
    """The free-text patch of `apply_patch`."""
    if isinstance(action, Write):
        change = f"*** Add File: {action.path}\n{_prefixed('+', action.content)}"
    else:
        change = f"*** Update File: {action.path}\n@@\n{_prefixed('-', action.old)}{_prefixed('+', action.new)}"
    return f"*** Begin Patch\n{change}*** End Patch"


def _prefixed(sign: str, text: str) -> str:
    return "".join(f"{sign}{line}\n" for line in text.splitlines())


def _by_patch(argument: str) -> Words:
    patch = lambda action: ToolCall("apply_patch", {argument: _patch_of(action)})  # noqa: E731  a row of the table
    return {Edit: patch, Write: patch}


def _spawn(**arguments: object) -> ToolCall:
    return ToolCall("spawn_agent", arguments)


def _script(source: str) -> ToolCall:
    """Codex' code mode: JavaScript that calls the tools itself."""
    return ToolCall("exec", {"input": source})


def _script_shell(command: str) -> ToolCall:
    return _script(f"const r = await tools.exec_command({json.dumps({'cmd': command})});\ntext(r.output);")


def _script_patch(action: Edit | Write) -> ToolCall:
    return _script(f"text(await tools.apply_patch({json.dumps(_patch_of(action))}));")


def _editor(command: str) -> Callable[..., ToolCall]:
    return lambda path, **more: ToolCall("file_editor", {"command": command, "path": path, **_given(**more)})


def _claude_bash(command: str, description: str) -> ToolCall:
    return ToolCall("Bash", {"command": command, "description": description})


CLAUDE_CODE: Words = {
    Read: lambda it: ToolCall("Read", _given(file_path=it.path, offset=it.first, limit=_count(it))),
    Search: lambda it: _claude_bash(_shell_search(it), "Search"),
    Edit: lambda it: ToolCall("Edit", {"file_path": it.path, "old_string": it.old, "new_string": it.new}),
    Write: lambda it: ToolCall("Write", {"file_path": it.path, "content": it.content}),
    Run: lambda it: _claude_bash(it.command, "Run"),
    Delegate: lambda it: ToolCall(
        "Agent", {"description": "Delegated work", "prompt": it.prompt, "subagent_type": it.kind}
    ),
}

GEMINI_CLI: Words = {
    Read: lambda it: ToolCall("read_file", _given(file_path=it.path, start_line=it.first, end_line=it.last)),
    Search: lambda it: ToolCall("grep_search", {"pattern": re.escape(it.text), "dir_path": it.folder}),
    Edit: lambda it: ToolCall(
        "replace",
        {"file_path": it.path, "instruction": "Change it.", "old_string": it.old, "new_string": it.new},
    ),
    Write: lambda it: ToolCall("write_file", {"file_path": it.path, "content": it.content}),
    Run: lambda it: ToolCall("run_shell_command", {"command": it.command}),
}

OPENCODE: Words = {
    Read: lambda it: ToolCall("read", _given(filePath=it.path, offset=it.first, limit=_count(it))),
    Search: lambda it: ToolCall("grep", {"pattern": re.escape(it.text), "path": it.folder}),
    Edit: lambda it: ToolCall("edit", {"filePath": it.path, "oldString": it.old, "newString": it.new}),
    Write: lambda it: ToolCall("write", {"filePath": it.path, "content": it.content}),
    Run: lambda it: ToolCall("bash", {"command": it.command, "description": "Run"}),
    Delegate: lambda it: ToolCall(
        "task", {"description": "Delegated work", "prompt": it.prompt, "subagent_type": "general"}
    ),
}

CLINE: Words = {
    Read: lambda it: ToolCall("read_files", {"files": [_given(path=it.path, start_line=it.first, end_line=it.last)]}),
    Search: lambda it: ToolCall("search_codebase", {"queries": [re.escape(it.text)]}),
    Edit: lambda it: ToolCall("editor", {"path": it.path, "old_text": it.old, "new_text": it.new}),
    Write: lambda it: ToolCall("editor", {"path": it.path, "new_text": it.content}),
    Run: lambda it: ToolCall("run_commands", {"commands": [it.command]}),
    Finish: lambda it: ToolCall("submit_and_exit", {"summary": it.text, "verified": True}),
}

OPENHANDS: Words = {
    **_by_shell(lambda command: ToolCall("terminal", {"command": command})),
    Read: lambda it: _editor("view")(
        it.path, view_range=None if it.first is it.last is None else [it.first or 1, it.last or -1]
    ),
    Edit: lambda it: _editor("str_replace")(it.path, old_str=it.old, new_str=it.new),
    Write: lambda it: _editor("create")(it.path, file_text=it.content),
    Finish: lambda it: ToolCall("finish", {"message": it.text}),
}

MINI_SWE_AGENT: Words = {
    **_by_shell(lambda command: ToolCall("bash", {"command": command})),
    Finish: lambda it: ToolCall(
        "bash", {"command": f"echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && echo {shlex.quote(it.text)}"}
    ),
}

CODEX_CODE_MODE: Words = {**_by_shell(_script_shell), Edit: _script_patch, Write: _script_patch}
"""What Codex offers to its newest models (wire-formats does not know it yet; seen with 0.171.0)."""

PLAIN: Words = {
    Read: lambda it: ToolCall("read_file", _given(path=it.path, start_line=it.first, end_line=it.last)),
    Search: lambda it: ToolCall("search_files", {"query": it.text}),
    Write: lambda it: ToolCall("write_file", {"path": it.path, "content": it.content}),
    Run: lambda it: ToolCall("run_check", {"name": it.command}),
}
"""The four tools of the re-read protocol (S0)."""

VOCABULARIES: tuple[Vocabulary, ...] = (
    Vocabulary(words=CLAUDE_CODE),
    Vocabulary(words=GEMINI_CLI, signs=frozenset({"run_shell_command"})),
    Vocabulary(words=_by_patch("patchText"), signs=frozenset({"read", "apply_patch"})),
    Vocabulary(words=OPENCODE, signs=frozenset({"read"})),
    Vocabulary(words=CODEX_CODE_MODE, signs=frozenset({"exec", "wait"})),
    # Codex' two generations of sub-agents.
    Vocabulary(
        words={Delegate: lambda it: _spawn(task_name="delegated", message=it.prompt, fork_turns="none")},
        signs=frozenset({"followup_task"}),
    ),
    Vocabulary(
        words={Delegate: lambda it: _spawn(message=it.prompt, fork_context=False)}, signs=frozenset({"send_input"})
    ),
    # Codex and Cline: their `apply_patch` takes free text, or the same as the argument `input`.
    Vocabulary(words=_by_patch("input"), signs=frozenset({"apply_patch"})),
    Vocabulary(words=CLINE, signs=frozenset({"read_files"})),
    Vocabulary(words=OPENHANDS, signs=frozenset({"terminal"})),
    Vocabulary(words=MINI_SWE_AGENT, signs=frozenset({"bash"}), alone=True),
    Vocabulary(words=PLAIN),
    # Codex, and whoever else has nothing but a shell (wire-formats 5.2).
    Vocabulary(words=_by_shell(lambda command: ToolCall("exec_command", {"cmd": command}))),
    Vocabulary(words=_by_shell(lambda command: ToolCall("shell", {"command": ["bash", "-lc", command]}))),
    Vocabulary(words=_by_shell(lambda command: ToolCall("bash", {"command": command}))),
)
"""Asked in this order; the first whose tool is offered is taken."""
