"""Claude Code's calls as they would have come by: each with the way to it as its history, and who made it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from proxy.journey.reading import Reading
from proxy.model.exchange import Headers
from proxy.model.ids import ExchangeId
from proxy.model.messages import Block, Message, Reply, Request
from proxy.transcripts.answer import Answer
from proxy.transcripts.calls import Beside, Told
from proxy.transcripts.stub import TOLD_TOOLS, exchange
from proxy.transcripts.tree import Node, Path, Way
from proxy.wire.anthropic_messages.blocks import blocks_of
from proxy.wire.anthropic_messages.request import NAME

CWD = "Working directory: "
"""How the system prompt tells the folder: all of it that a transcript knows."""


class Teller:
    """Numbers the calls of one session."""

    def __init__(self, session: str, beside: Beside) -> None:
        self.version = ""
        self._session = session
        self._beside = beside
        self._writer = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        self._number = 0
        self._systems: dict[str, tuple[Block, ...]] = {}
        """By agent: what is known of its system prompt."""
        self._models: dict[str, str] = {}
        """By agent: the model of its last call."""
        self._paths: dict[str, Path] = {}

    def note_folder(self, agent: str, cwd: str) -> None:
        """Take note of where an agent began to work."""
        if cwd and agent not in self._systems:
            self._systems[agent] = blocks_of(f"{CWD}{cwd}")

    def call(self, answer: Answer) -> Told:
        """The call of a reply that is whole; the reply stands in the history from now on."""
        node, reply = answer.node, answer.reply()
        self._beside.open_outputs += not reply.stop_reason
        self._models[node.agent] = answer.model
        way = self._way(node.agent, node.parent)
        node.messages.insert(0, Message(role="assistant", blocks=reply.blocks))
        return self._told(
            Reading(self._request(node.agent, way), reply), self._headers(node.agent, way), way, answer.ended_us
        )

    def summary(self, tip: Node, mark: Node, trigger: str) -> Iterator[Told]:
        """The call that wrote a summary of all up to a node: it stands nowhere, and what it billed is not known."""
        if mark.agent not in self._models:
            return
        way = self._way(mark.agent, tip)
        headers = self._headers(mark.agent, way) + ((("x-claude-code-compaction", trigger),) if trigger else ())
        reply = Reply(id="", model=self._models[mark.agent], blocks=(), stop_reason="", terminal=True, iterations=())
        self._beside.implied += 1
        yield self._told(Reading(self._request(mark.agent, way, is_summary=True), reply), headers, way, mark.at_us)

    def _way(self, agent: str, tip: Node | None) -> Way:
        way = self._paths.setdefault(agent, Path()).to(tip)
        self._beside.followed += len(way.crossed)
        self._beside.incomplete += not way.is_whole
        return way

    def _request(self, agent: str, way: Way, *, is_summary: bool = False) -> Request:
        return Request(
            dialect=NAME,
            model=self._models[agent],
            stream=True,
            system=self._systems.get(agent, ()),
            messages=way.messages,
            tools=TOLD_TOOLS,
            metadata={},
            on_demand_compaction=is_summary,
        )

    def _headers(self, agent: str, way: Way) -> Headers:
        """What this client would have sent."""
        headers = [("user-agent", f"claude-cli/{self.version}"), ("x-claude-code-session-id", self._session)]
        if agent:
            headers.append(("x-claude-code-agent-id", agent))
        if way.crossed and way.crossed[-1].trigger:
            headers.append(("x-claude-code-context-compacted", way.crossed[-1].trigger))
        return tuple(headers)

    def _told(self, reading: Reading, headers: Headers, way: Way, ended_us: int) -> Told:
        self._number += 1
        opened_us = min(way.at_us or ended_us, ended_us)
        return Told(exchange(ExchangeId(self._writer, self._number), headers, opened_us, ended_us), reading)
