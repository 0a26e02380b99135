"""By what a call without an id is known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from proxy.model.ids import SessionId
from proxy.model.messages import Request
from proxy.sessions import signs
from proxy.sessions.normalise import Unit, reply_units, units
from proxy.wire.anthropic_messages.blocks import blocks_of
from proxy.wire.anthropic_messages.request import read_request
from proxy.wire.call_names import UNNAMED
from tests.support.journey import Client, Driver, Json, bash, result, text

LONG = text("The first thing to look at is the parser.\nThen there is the writer, which calls it.")


class Book:
    """Signs as a store keeps them, and how often it was asked."""

    def __init__(self) -> None:
        self.noted: dict[str, SessionId] = {}
        self.asked: list[int] = []

    def find(self, wanted: Sequence[str]) -> dict[str, SessionId]:
        self.asked.append(len(wanted))
        return {sign: self.noted[sign] for sign in wanted if sign in self.noted}


class Teller(Client):
    """A client whose turns leave their signs in a book."""

    def __init__(self, book: Book, session: str) -> None:
        super().__init__(Driver())
        self.book, self.name = book, SessionId(session)

    def parts(self) -> tuple[Request, list[Unit]]:
        request = read_request(self.exchange([]).request_body, ())
        assert isinstance(request, Request)
        return request, units(request.messages)

    def known(self) -> SessionId | None:
        return signs.recognised("x", *self.parts(), self.book.find)

    def says(self, *blocks: Json) -> None:
        reply = reply_units(blocks_of(list(blocks)))
        self.book.noted |= dict.fromkeys(signs.of_turn("x", *self.parts(), reply), self.name)
        self.messages.append({"role": "assistant", "content": list(blocks)})

    def fails(self) -> None:
        self.book.noted |= dict.fromkeys(signs.of_attempt("x", *self.parts()), self.name)


def teller(book: Book, session: str = "one") -> Teller:
    client = Teller(book, session)
    client.user(text("go"))
    return client


def test_the_usual_call_is_known_by_one_question() -> None:
    client = teller(Book())
    for number in range(20):
        client.says(bash(f"t{number}", "ls"))
        client.answers(result(f"t{number}", "a.py"))
        assert client.known() == "one"
    assert len(client.book.asked) == 20


def test_the_worst_call_is_looked_up_by_two_questions_of_few_signs() -> None:
    client = teller(Book())
    for number in range(40):
        client.messages.append({"role": "assistant", "content": [LONG, bash(f"t{number}", "ls")]})
        client.answers(result(f"t{number}", "a.py"))
    assert client.known() is None
    assert len(client.book.asked) == 2
    assert max(client.book.asked) <= 2 * signs.LOOKED_UP + 1


def test_a_reply_of_a_thousand_calls_leaves_few_signs() -> None:
    client = teller(Book())
    client.says(*[bash(f"t{number}", "ls") for number in range(1000)])
    assert len(client.book.noted) <= signs.LOOKED_UP + 4


def test_a_failed_first_call_is_known_again_until_it_is_answered() -> None:
    book = Book()
    first, second = teller(book, "one"), teller(book, "two")
    first.fails()
    assert first.known() == "one"
    first.says(text("ok"))
    assert second.known() is None
    second.fails()
    assert second.known() == "two"
    second.says(text("ok"))
    assert teller(book).known() is None


def test_a_system_text_that_changes_at_each_turn_does_not_part_a_conversation() -> None:
    client = teller(Book())
    client.says(bash("t1", "ls"))
    client.answers(result("t1", "a.py"))
    client.system = [text("It is ten past nine.")]
    assert client.known() == "one"


def test_short_conversations_under_other_system_texts_are_kept_apart() -> None:
    book = Book()
    client, other = teller(book), teller(book)
    client.says(text("Hello!"))
    other.messages = [*client.messages]
    for one in (client, other):
        one.user(text("and now?"))
    other.system = [text("You are somebody else.")]
    assert (client.known(), other.known()) == ("one", None)


@pytest.mark.parametrize(
    "sent_back",
    [
        [text(LONG["text"] + "\n\n")],
        [text("  " + LONG["text"])],
        [text(""), LONG],
        [{"type": "thinking", "thinking": "hm", "signature": "s"}, LONG],
    ],
)
def test_a_reply_that_is_trimmed_on_its_way_back_is_known(sent_back: list[Json]) -> None:
    client = teller(Book())
    client.says(LONG)
    client.messages[-1] = {"role": "assistant", "content": sent_back}
    client.user(text("go on"))
    assert client.known() == "one"


def test_the_order_of_arguments_does_not_matter() -> None:
    client = teller(Book())
    client.says({"type": "tool_use", "id": "t1", "name": "Read", "input": {"a": 1, "b": 2}})
    client.messages[-1]["content"] = [{"type": "tool_use", "id": "t1", "name": "Read", "input": {"b": 2, "a": 1}}]
    client.answers(result("t1", "a.py"))
    assert client.known() == "one"


def test_a_reply_without_ids_is_known_when_the_client_names_its_calls() -> None:
    client = teller(Book())
    request, own = client.parts()
    unnamed = reply_units(blocks_of([bash(f"{UNNAMED}1", "ls")]))
    client.book.noted = dict.fromkeys(signs.of_turn("x", request, own, unnamed), client.name)
    client.messages.append({"role": "assistant", "content": [bash("mine", "ls")]})
    client.answers(result("mine", "a.py"))
    assert client.known() == "one"
