from __future__ import annotations

from pathlib import Path

from config.load import load
from proxy.cli.live.wrap import outcome
from proxy.store import open_database
from proxy.supervisor.ways.base_url import Route
from proxy.supervisor.wrap import Wrapped
from tests.support.stories import Telling, a_compacted_session, keep
from tests.support.typed import type_command

ROUTE = Route(relay_url="http://127.0.0.1:1", tag="t", upstream="", upstream_url="https://api.anthropic.com")
DONE = Wrapped(status=0, run="r" * 32, way=ROUTE)


def test_the_outcome_tells_the_sessions_of_this_run_alone(tmp_path: Path) -> None:
    settings = load(environment={"COMPACTION_GATE_STORE_DATA": str(tmp_path)}).settings
    assert outcome(settings, DONE)[0].startswith("no model call was seen")
    told = a_compacted_session()
    told._session_fields["run"] = DONE.run
    other = Telling("91c0" + "0" * 28)
    other.turn(1_000)
    with open_database(settings.store.database) as database:
        keep(told, database)
        keep(other, database)
    assert outcome(settings, DONE) == [
        "session 7f3a91c2 · 11 turns · $0.38 · 1 compaction · 3 exact re-reads, 1 partial",
        "next: compaction-gate session last",
    ]


def test_an_unknown_option_before_the_command_is_named_as_one() -> None:
    typed = type_command("wrap", "--nope", "--", "claude")
    assert typed.code == 64
    assert "No such option" in typed.err
    assert "--nope" in typed.err


def test_without_a_command_it_is_wrong_use() -> None:
    typed = type_command("wrap", "--")
    assert typed.code == 64
    assert "Missing argument 'COMMAND...'" in typed.err
