"""`tools list|suggest|test`: what the rules make of your agent's tools, and what they miss."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import orjson

from config.errors import SettingsError
from config.load import Loaded, user_file
from config.settings import Settings
from config.tool_rules import RulesRead
from config.tool_rules import read as read_rules
from proxy.cli import options, page, settings
from proxy.cli.invocation import Invocation
from proxy.cli.objects import echo_object
from proxy.cli.reading import NOTHING_YET, has_store, reader_of, reading_session
from proxy.cli.rules import lines as views
from proxy.cli.rules.calls import arguments_by_call
from proxy.cli.rules.reclass import reclassed
from proxy.cli.rules.seen import SeenTool, seen_tools
from proxy.cli.rules.suggest import Suggestion, suggestions
from proxy.cli.rules.writing import write
from proxy.ledger.tools import ToolRules
from proxy.model.errors import InputError, UsageError
from proxy.model.facts import CallFact, SessionFact

YOURS = "tools.yaml"
CALL_WORDS = 3


@click.group(cls=page.Group, example="tools suggest --write")
def tools() -> None:
    """Which tools your agents call, what they count as, and rules for those that no rule knows."""


@tools.command("list", example="tools list")
@options.output_format
@click.pass_context
def list_(context: click.Context, form: str) -> None:
    """The rules in force with file and line, and the tools seen with class, calls and share.

    An entry of your files that cannot be used is named, the rest is shown; then it leaves with 78.
    """
    loaded = settings.read(context.obj)
    said = loaded.settings
    found = read_rules(said.tools.files)
    rules, seen = views.rules_of(found.documents, [str(file) for file in said.tools.files]), _seen(said)
    if form == "json":
        problems = [str(problem) for problem in found.problems]
        listed = [asdict(rule) for rule in rules]
        told = {"rules": listed, "seen": [one.as_object() for one in seen], "problems": problems}
        echo_object(told)
    else:
        click.echo("\n".join([*views.rule_lines(rules), ""]))
        click.echo("\n".join(views.seen_lines(seen)) if seen else _nothing_seen(said))
    _leave(context, found)


@tools.command(example="tools suggest --write")
@click.option("--write", "is_written", is_flag=True, help="Put them into your tools.yaml; what stands there stays.")
@click.pass_context
def suggest(context: click.Context, *, is_written: bool) -> None:
    """Rules for tools that no rule names and for shell programs in no table, with the reason for each.

    They are guessed from names: of tools, of their arguments, of programs. Check them before you believe a figure.
    """
    loaded = settings.read(context.obj)
    said = loaded.settings
    found = read_rules(said.tools.files)
    seen = _seen(said)
    told = suggestions(seen, is_known=ToolRules(found.documents).knows_program)
    if told:
        click.echo("\n".join(views.suggestion_lines(told)))
    else:
        click.echo(_nothing_to_suggest(said, seen))
    if is_written:
        _write(loaded, told)
    elif any(one.rule for one in told):
        click.echo("next: compaction-gate tools suggest --write", err=True)
    _leave(context, found)


def _nothing_seen(said: Settings) -> str:
    if has_store(said):
        with reader_of(said) as reader:
            if reader.sessions(limit=1):
                return "no tool call in any session so far"
    return NOTHING_YET.format(data=said.store.data)


def _nothing_to_suggest(said: Settings, seen: Sequence[SeenTool]) -> str:
    if not seen:
        return _nothing_seen(said)
    if not any(one.tool for one in seen):
        return 'no tool names are kept: they need capture.contents = "hashes" or "full"'
    return f"nothing to suggest: a rule names each of the {len(seen)} tools seen"


def _write(loaded: Loaded, told: Sequence[Suggestion]) -> None:
    files = loaded.settings.tools.files
    file = files[0] if files else (loaded.file or user_file(os.environ)).absolute().parent / YOURS
    ready = [one for one in told if one.rule]
    if not ready:
        click.echo("nothing was written", err=True)
        return
    write(file, ready)
    click.echo(f"written: {file}", err=True)
    if not files:
        click.echo(f'to use it: set tools.files = ["{file}"] in the settings file, then restart the observer', err=True)


@tools.command(example='tools test claude-code Bash \'{"command": "sed -n 1,80p a.py"}\'')
@click.argument("call", nargs=-1, metavar="[CLIENT TOOL JSON]")
@click.option(
    "--result", type=click.Path(path_type=Path, dir_okay=False), help="An answer of it: what is compared of it."
)
@click.option("--cwd", default="", help="The client's working directory.")
@click.option("--session", "reference", metavar="ID", help="Instead: all calls of a stored session.")
@click.pass_context
def test(
    context: click.Context, *, call: tuple[str, ...], result: Path | None, cwd: str, reference: str | None
) -> None:
    """How the rules of today understand one call, or all calls of a stored session.

    CLIENT is the client's name (`claude-code`), or '' for any; JSON are the tool's arguments.
    """
    found = read_rules(settings.read(context.obj).settings.tools.files)
    rules = ToolRules(found.documents)
    if reference and not call:
        click.echo("\n".join(_session_lines(context.obj, rules, reference)))
    elif len(call) == CALL_WORDS and not reference:
        click.echo("\n".join(_call_lines(rules, call, result, cwd)))
    else:
        raise UsageError("tools test needs CLIENT TOOL JSON, or --session ID")
    _leave(context, found)


def _call_lines(rules: ToolRules, call: Sequence[str], result: Path | None, cwd: str) -> list[str]:
    client, tool, arguments = call
    access = rules.access(client, tool, _parsed(arguments), cwd=cwd, raw=arguments)
    lines = views.access_lines(access)
    if result is None:
        return lines
    answer = rules.result(client, tool, _text(result), is_error=False, form=access.form)
    return [*lines, *views.answer_lines(answer)]


def _parsed(text: str) -> Mapping[str, Any]:
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InputError("arguments", f"character {error.pos + 1}", f"no JSON ({error.msg})", "a JSON object") from None
    if not isinstance(value, dict):
        raise InputError("arguments", "", type(value).__name__, "a JSON object")
    return value


def _text(file: Path) -> str:
    try:
        return sys.stdin.read() if str(file) == "-" else file.read_text("utf-8", "replace")
    except OSError as error:
        raise InputError(str(file), "", (error.strerror or "an error").lower(), "a file with an answer") from None


def _session_lines(invocation: Invocation, rules: ToolRules, reference: str) -> list[str]:
    with reading_session(invocation, reference) as (_, reader, session):
        calls = reader.facts(CallFact, session=session.session)
        arguments = arguments_by_call(reader.contents_of(session.session))
    if not calls:
        return ["no call in this session so far"]
    return views.reclassed_lines(reclassed(rules, session.client, calls, arguments))


def _seen(said: Settings) -> list[SeenTool]:
    if not has_store(said):
        return []
    with reader_of(said) as reader:
        clients = {session.session: session.client for session in reader.facts(SessionFact)}
        calls = ((clients.get(call.session, ""), call) for call in reader.each(CallFact))
        return seen_tools(calls)


def _leave(context: click.Context, found: RulesRead) -> None:
    """With what could not be used, when there is any."""
    for line in _problem_lines(found):
        click.echo(line, err=True)
    if found.problems:
        context.exit(SettingsError.exit_code)


def _problem_lines(found: RulesRead) -> Iterator[str]:
    for problem in found.problems:
        yield f"left out: {problem}"
