from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from proxy.cli import page, registry
from tests.support.typed import pages, type_command


def test_the_help_lists_every_command_by_job_and_hides_our_own_processes() -> None:
    text = type_command("--help").out
    places = [text.index(f"\n{group}\n") for group in ("LOOK", "LIVE", "KEEP", "HOUSE")]
    assert places == sorted(places)
    for entry in registry.COMMANDS:
        assert (f"\n  {entry.usage}" in text) is bool(entry.group)


def test_every_help_page_ends_with_one_example_that_names_a_command() -> None:
    for name, _ in pages():
        text = type_command(*name.split(), "--help").out
        example = text.rstrip().splitlines()[-1]
        assert example.startswith("Example: compaction-gate "), name
        assert registry.entry(example.split()[2]) is not None, name
        assert text.count("Example:") == 1, name


def test_the_examples_of_the_help_use_options_that_exist() -> None:
    options = {name: {spelling for item in command.params for spelling in item.opts} for name, command in pages()}
    for name, command in pages():
        assert isinstance(command, page.Command | page.Group), name
        for example in (command.example.partition(" ")[2], *(entry.example for entry in registry.COMMANDS)):
            words = example.split(" -- ")[0].split()
            own = options[words[0]] | options.get(" ".join(words[:2]), set())
            assert {word for word in words if word.startswith("--")} <= own, example


def test_global_options_mean_the_same_before_and_after_the_command(tmp_path: Path) -> None:
    before = type_command("--data", tmp_path / "d", "config", "show")
    after = type_command("config", "show", "--data", tmp_path / "d")
    between = type_command("config", "--data", tmp_path / "d", "show")
    assert before.out == after.out == between.out
    assert f'store.data = "{tmp_path}/d"' in after.out
    file = tmp_path / "gate.toml"
    file.write_text('environment = "named"')
    assert 'environment = "named"' in type_command("config", "show", "--config", file).out


def test_without_a_command_the_help_is_shown_as_wrong_use() -> None:
    typed = type_command()
    assert typed.code == 64
    assert "LOOK" in typed.err


def test_an_unknown_command_is_refused_with_where_to_look() -> None:
    typed = type_command("stauts")
    assert typed.code == 64
    assert "No such command 'stauts'" in typed.err


def test_starting_up_imports_nothing_that_a_command_does_not_need() -> None:
    heavy = ("pydantic", "aiohttp", "sqlalchemy", "tiktoken", "prometheus_client", "uvloop", "yaml", "genai_prices")
    code = f"import sys; from tests.support.typed import type_command; type_command('version'); \
print([name for name in {heavy!r} if name in sys.modules])"
    typed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert typed.stdout == "[]\n"
