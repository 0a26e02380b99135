"""What a provider of Responses keeps: histories by response and by conversation, items by id."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from proxy.scripted.faces.face import BadCallError
from proxy.scripted.faces.seals import Seals

Json = Mapping[str, Any]
Items = tuple[Json, ...]


@dataclass(slots=True)
class Memory:
    """Kept between requests. A socket has one of its own in front of the provider's, also for what is not stored."""

    seals: Seals
    behind: Memory | None = None
    _responses: dict[str, Items] = field(default_factory=dict)
    _documents: dict[str, Json] = field(default_factory=dict)
    _conversations: dict[str, Items] = field(default_factory=dict)
    _items: dict[str, Json] = field(default_factory=dict)

    def in_front(self) -> Memory:
        """A memory for one socket."""
        return Memory(self.seals, self)

    def history(self, document: Json) -> Items:
        """The items that a request continues. Raises BadCallError for unknown parents."""
        previous, conversation = document.get("previous_response_id"), conversation_of(document)
        if previous and conversation:
            text = "Mutually exclusive parameters: 'previous_response_id' and 'conversation'."
            raise BadCallError(text, param="conversation")
        if previous:
            return self._after(str(previous))
        return self._in(conversation) if conversation else ()

    def item(self, item_id: str) -> Json | None:
        """A stored item, for `item_reference`."""
        found = self._items.get(item_id)
        return self.behind.item(item_id) if found is None and self.behind is not None else found

    def document(self, response_id: str) -> Json | None:
        """A stored response, as it was given."""
        return self._documents.get(response_id)

    def forget(self, response_id: str) -> bool:
        """Delete a stored response; whether there was one."""
        self._documents.pop(response_id, None)
        return self._responses.pop(response_id, None) is not None

    def open_conversation(self, conversation_id: str, items: Sequence[Json] = ()) -> None:
        """Begin a conversation."""
        self._conversations[conversation_id] = tuple(items)

    def keep(self, asked: Json, history: Items, document: Json) -> None:
        """Remember a response: here, and behind when it is to be stored."""
        self._responses[str(document["id"])] = history
        if self.behind is not None:
            if asked.get("store") is not False:
                self.behind.keep(asked, history, document)
            return
        self._documents[str(document["id"])] = document
        self._items.update({str(item["id"]): item for item in history if "id" in item})
        if conversation := conversation_of(asked):
            self._conversations[conversation] = history

    def _after(self, response_id: str) -> Items:
        if response_id in self._responses:
            return self._responses[response_id]
        if self.behind is not None:
            return self.behind._after(response_id)  # noqa: SLF001  another Memory
        text = f"Previous response with id '{response_id}' not found."
        raise BadCallError(text, code="previous_response_not_found", param="previous_response_id")

    def _in(self, conversation: str) -> Items:
        if self.behind is not None:
            return self.behind._in(conversation)  # noqa: SLF001  another Memory
        if conversation not in self._conversations:
            raise BadCallError(f"Conversation with id '{conversation}' not found.", status=404, param="conversation")
        return self._conversations[conversation]


def conversation_of(document: Json) -> str:
    """The id of the conversation that a request names; empty without."""
    named = document.get("conversation")
    return str(named.get("id", "")) if isinstance(named, Mapping) else str(named or "")
