"""Whatever the wire brings: no exception, one exchange fact, and facts that a store takes."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxy.journal.layout import Mark
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind
from proxy.store import Commit, StateChange, Writer, open_database, verify
from tests.support.compaction import cleared
from tests.support.journey import Client, Driver, a_file, call, numbered, read, result, text
from tests.support.mangle import mangled
from tests.support.sessions import SESSION
from tests.support.store import an_empty_store

APP = a_file("app")


def keep(exchanges: Iterable[Exchange]) -> list[ExchangeFact]:
    """Observe them with the state reloaded from its bytes each time, and store what is found."""
    driver, own = Driver(), []
    with tempfile.TemporaryDirectory() as name, open_database(an_empty_store(Path(name) / "store.db")) as database:
        writer, versions = Writer(database), dict[str, int]()
        for exchange in exchanges:
            session = driver.journey.session_of(exchange)
            observed = driver.observe(exchange)
            (fact,) = [one for one in observed.facts if isinstance(one, ExchangeFact)]
            others = [one for one in observed.facts if one is not fact]
            state = StateChange(session, versions.get(session, 0), observed.parts) if session else None
            mark = Mark(exchange.id.number, 1, exchange.id.number)
            assert writer.commit(Commit(exchange=fact, facts=others, state=state, mark=mark))
            if session:
                versions[session] = versions.get(session, 0) + 1
            own.append(fact)
        assert verify(database) == []
    return own


@settings(max_examples=40, deadline=None)
@given(st.tuples(*map(mangled, SESSION)))
def test_any_session_with_anything_wrong_in_it_is_observed_and_kept(exchanges: tuple[Exchange, ...]) -> None:
    keep(exchanges)


def whole(*messages: Any, **more: Any) -> Callable[[Client], Iterable[Exchange]]:
    """Two calls with these messages."""

    def made(client: Client) -> Iterable[Exchange]:
        client.messages = list(messages)
        yield client.exchange([read("c1", "/repo/app.py"), read("c1", "/repo/app.py")], body=more)
        client.messages += [{"role": "assistant", "content": [read("c1", "/repo/app.py")]}]
        client.answers(result("c1", numbered(APP)), result("c1", "another answer to it"))
        yield client.exchange([text("done")], body=more)

    return made


ASKED = {"role": "assistant", "content": [read("c0", "/repo/app.py")]}
ANSWERED = {"role": "user", "content": [result("c0", numbered(APP))]}
DEEP: Any = "deep"
for _ in range(120):
    DEEP = [{"type": "search_result", "content": DEEP}]


@pytest.mark.parametrize(
    "story",
    [
        whole(),
        whole(5, None, [], "text", {"role": "user"}),
        whole(ANSWERED, ASKED),
        whole(ASKED, ASKED, ANSWERED, ANSWERED),
        whole({"role": "tool", "content": "what"}, {"role": "developer", "content": [text("so")]}),
        whole({"role": "user", "content": [{"type": "tool_result", "content": None}, {"type": "tool_use"}]}),
        whole({"role": "user", "content": [result("", DEEP)]}),
        whole({"role": "user", "content": [text(f"block number {number}") for number in range(10_000)]}),
        whole({"role": "user", "content": [{"type": "compaction", "content": "in an odd place"}]}, ASKED, ANSWERED),
        whole(ASKED, ANSWERED, {"role": "system", "content": [{"type": "compaction", "encrypted_content": "e"}]}),
        whole({"role": "user", "content": "go"}, system=7, tools="none"),
        whole({"role": "user", "content": "go"}, system=[5, {"text": 5}], tools=[5, {"name": 5}, {}, None]),
        whole({"role": "user", "content": "go"}, context_management=5, metadata=[], thread=5, compaction="c"),
        whole({"role": "user", "content": "go"}, max_tokens=10**18, temperature=-1e300),
    ],
)
def test_odd_histories_are_turns(story: Callable[[Client], Iterable[Exchange]]) -> None:
    assert {fact.kind for fact in keep(story(Client(Driver())))} == {ExchangeKind.TURN}


def test_what_of_a_request_could_not_be_read_is_said() -> None:
    (fact, _) = keep(whole(5, {"role": "user", "content": "go"}, tools=5)(Client(Driver())))
    assert fact.faults == "tools is not a list; message 1: not an object"


def test_more_is_cleared_than_there_is() -> None:
    client = Client(Driver())
    client.user(text("go"))
    keep([client.exchange([text("done")], answer=cleared(2**61)), client.exchange([text("done")], answer=cleared(0))])


def test_one_id_for_all_calls() -> None:
    client = Client(Driver())
    client.user(text("go"))
    exchanges = []
    for number in range(4):
        asked = call("same", "Read", file_path=f"/repo/{number}.py")
        exchanges.append(client.exchange([asked], stop="tool_use"))
        client.messages.append({"role": "assistant", "content": [asked]})
        client.answers(result("same", numbered(a_file(str(number)))))
    assert all(fact.kind is ExchangeKind.TURN for fact in keep(exchanges))


def test_a_body_that_is_no_json_is_unparsed() -> None:
    client = Client(Driver())
    exchange = client.exchange([text("done")])
    bodies = [b"", b"\xff\xfe", b"{", b"[]", b'{"messages": 5}', b"NaN", b'{"messages": ["\\ud800"]}', b"[" * 5000]
    found = keep(replace(exchange, id=exchange.id._replace(number=n), request_body=b) for n, b in enumerate(bodies, 1))
    assert {fact.kind for fact in found} == {ExchangeKind.UNPARSED}


def test_facts_are_json_where_they_say_so() -> None:
    driver = Driver()
    for exchange in SESSION:
        driver.observe(exchange)
    for fact in driver.run.facts.values():
        for name in ("because", "door_effects", "usage_raw"):
            assert orjson.loads(getattr(fact, name, "") or "{}") is not None
