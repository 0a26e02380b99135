from __future__ import annotations

from pathlib import Path

from proxy.cli.views.bill import bill_lines
from proxy.demo import show, stage


def drawn(folder: Path) -> list[str]:
    settings = stage.play(folder)
    with stage.opened(settings) as reader:
        return list(show.lines(show.found(reader), bill_lines=bill_lines))


def test_the_same_picture_is_drawn_each_time(played: tuple[Path, show.Played]) -> None:
    folder, found = played
    first = list(show.lines(found, bill_lines=bill_lines))
    assert drawn(folder) == first
    text = "\n".join(first)
    for told in ("SIMULATED", "RE-READ exact", "RE-READ in part", "refresh: it had changed", "left the model's view"):
        assert told in text


def test_the_closing_names_three_commands() -> None:
    lines = show.closing("build/demo/data")
    assert [word for word in ("wrap -- claude", "status", "session last") if any(word in line for line in lines)] == [
        "wrap -- claude",
        "status",
        "session last",
    ]


def test_where_the_shell_does_not_find_the_command_the_closing_says_how_it_will() -> None:
    assert not any("PATH" in line for line in show.closing("data"))
    assert show.closing("data", folder="/opt/gate/bin")[1].startswith('    export PATH="/opt/gate/bin:$PATH"')
