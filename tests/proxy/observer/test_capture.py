from __future__ import annotations

from dataclasses import fields

from proxy.model.facts import CallFact, ObservationFact, SessionFact, TurnFact
from proxy.observer import Capture, Keeper
from proxy.observer.capture import FREE_TEXT, NOT_FIGURES
from tests.support.observer import Seen
from tests.support.store import a_fact

CALL = a_fact(
    CallFact, tool="Bash", resource="curl -H 'x: hunter2'", because='{"rule": "hunter2"}', turn=3, label="refresh"
)


def without_passwords(text: str) -> str:
    return text.replace("hunter2", "<redacted>")


def test_secrets_leave_facts_before_they_are_stored() -> None:
    kept = Keeper(Capture.HASHES, without_passwords).fact(CALL)
    assert (kept.tool, kept.resource) == ("Bash", "curl -H 'x: <redacted>'")
    assert kept.because == '{"rule": "<redacted>"}'
    assert kept.turn == 3


def test_a_secret_that_stands_where_a_model_is_named_is_removed_too() -> None:
    turn = Keeper(Capture.HASHES, without_passwords).fact(a_fact(TurnFact, model_asked="gpt hunter2"))
    assert turn.model_asked == "gpt <redacted>"


def test_a_fact_without_secrets_is_the_same_fact() -> None:
    fact = a_fact(SessionFact, client="claude-code")
    assert Keeper(Capture.HASHES, without_passwords).fact(fact) is fact


def test_figures_alone_name_and_hash_nothing() -> None:
    keeper = Keeper(Capture.OFF, str)
    call = keeper.fact(CALL)
    assert (call.tool, call.resource, call.because, call.turn) == ("", "", "", 3)
    seen = keeper.fact(a_fact(ObservationFact, key="read:x@y", content_sha256="f" * 64, tokens_ref=12))
    assert (seen.key, seen.content_sha256, seen.tokens_ref) == ("", "", 12)
    assert keeper.fact(a_fact(TurnFact, system_sha256="f" * 64)).system_sha256 == ""


def test_contents_are_redacted_and_say_so() -> None:
    seen = Seen((), {}, (("1" * 64, b"hunter2 \xff"), ("2" * 64, b"plain \xfe")))
    secret, plain = Keeper(Capture.FULL, without_passwords).contents(seen)
    assert secret == ("1" * 64, b"<redacted> \xff", True)
    assert plain == ("2" * 64, b"plain \xfe", False)


def test_below_a_full_capture_there_are_no_contents() -> None:
    seen = Seen((), {}, (("1" * 64, b"text"),))
    assert Keeper(Capture.HASHES, str).contents(seen) == []
    assert Keeper(Capture.OFF, str).contents(seen) == []


def test_the_lists_name_fields_that_exist() -> None:
    for fact, names in [*FREE_TEXT.items(), *NOT_FIGURES.items()]:
        assert set(names) <= {field.name for field in fields(fact)}
