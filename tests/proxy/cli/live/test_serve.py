from __future__ import annotations

from pathlib import Path

from proxy.cli.live.serve import banner
from proxy.supervisor.service import Serving
from tests.support.typed import type_command


def test_the_banner_says_where_it_listens_and_what_to_type_next() -> None:
    lines = banner(Serving("http://127.0.0.1:8765", "http://127.0.0.1:8767", Path("/d")))
    assert [line.split()[:2] for line in lines] == [
        ["relay", "http://127.0.0.1:8765"],
        ["admin", "http://127.0.0.1:8767"],
        ["data", "/d"],
        ["next", "compaction-gate"],
    ]


def test_an_option_that_cannot_be_used_is_told_as_its_origin(tmp_path: Path) -> None:
    typed = type_command("--data", tmp_path, "serve", "--listen", "8765")
    assert typed.code == 78
    assert 'relay.listen = "8765" (from command line --listen): expected "host:port"' in typed.err
