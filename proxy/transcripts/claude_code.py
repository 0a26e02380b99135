"""Claude Code's session files as model calls.

What they tell: every message with its parent, every reply's usage, where a compaction was. What they do not tell:
system prompt, tools, the call that wrote a summary, tries that failed. Files of sub-agents hold the same kinds of
records. A session that was taken up in a new file repeats the former one's records there: each uuid counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from proxy.model.messages import BlockKind, Message
from proxy.transcripts.answer import Answer
from proxy.transcripts.calls import Beside, Record, Told
from proxy.transcripts.teller import Teller
from proxy.transcripts.tree import Boundary, Node
from proxy.transcripts.trouble import Trouble
from proxy.wire.anthropic_messages.blocks import blocks_of
from proxy.wire.json_values import Json, text_of, word_of

SYNTHETIC = "<synthetic>"
"""The model of replies that the client wrote by itself."""

HELD_LIMIT = 256 * 1024 * 1024
"""Bytes of records from which on what stands before a compaction is let go of: no client rewinds so far."""

WITHOUT_MESSAGES = frozenset(
    (
        "agent-color", "agent-name", "agent-setting", "ai-title", "api-request", "api-request-blob",
        "api-request-shape", "atis-latch", "attribution-snapshot", "bridge-session", "content-replacement",
        "cost-state", "custom-title", "file-history-snapshot", "last-prompt", "marble-origami-commit",
        "marble-origami-snapshot", "mode", "permission-mode", "pr-link", "progress", "queue-operation", "result",
        "speculation-accept", "summary", "tag", "task-summary", "tools-used", "worktree-state",
    )
)  # fmt: skip
"""Types of records that add nothing to what the model sees."""


class ClaudeCode:
    """Reads one session's records, in the order of time."""

    def __init__(self, session: str, beside: Beside, trouble: Trouble) -> None:
        self.beside = beside
        self._teller = Teller(session, beside)
        self._trouble = trouble
        self._nodes: dict[str, Node] = {}
        """By uuid of each record."""
        self._held = 0
        """Bytes of records since something was let go of."""
        self._latest: dict[str, Node] = {}
        """By agent."""
        self._callers: dict[str, Node] = {}
        """By id of a tool call: the reply that asked for it."""
        self._kept: dict[str, list[Node]] = {}
        """By uuid of a record that is to come: what a compaction kept, to stand behind it."""
        self._open: dict[str, Answer] = {}
        """By agent: the reply that has not ended yet."""
        self._on: Mapping[str, Callable[[Record, str], Iterator[Told]]] = {
            "assistant": self._assistant,
            "user": self._user,
            "attachment": self._attachment,
            "system": self._system,
        }

    def take(self, record: Record) -> Iterator[Told]:
        """One record further: the calls that are known to be over by it."""
        kind = text_of(record.body.get("type"))
        handle = self._on.get(kind)
        if handle is None:
            if kind not in WITHOUT_MESSAGES:
                self._note(f"unknown record type {word_of(kind)}", record)
            return
        uuid = text_of(record.body.get("uuid"))
        if not uuid:
            self._note(f"{kind} record without uuid", record)
        elif uuid in self._nodes:
            self.beside.repeated += 1
        else:
            self._held += record.octets
            self._teller.version = text_of(record.body.get("version")) or self._teller.version
            yield from handle(record, uuid)

    def end(self) -> Iterator[Told]:
        """The replies that were open."""
        for agent in list(self._open):
            yield from self._close(agent)

    # --- records ---

    def _assistant(self, record: Record, uuid: str) -> Iterator[Told]:
        message = record.body.get("message")
        if not isinstance(message, dict) or not isinstance(message.get("id"), str):
            self._note("assistant record without message", record)
            self._enter(uuid, self._node(record))
            return
        if message.get("model") == SYNTHETIC or record.body.get("isApiErrorMessage"):
            self._enter(uuid, self._node(record))
            return
        agent = self._agent(record)
        answer = self._open.get(agent)
        if answer is None or answer.id != message["id"]:
            yield from self._close(agent)
            if message["id"] in self.beside.replies:
                self._note("a reply that goes on after the next one began", record)
                return
            self.beside.replies.add(message["id"])
            asked = text_of(record.body.get("requestedModel")) or text_of(message.get("model"))
            answer = self._open[agent] = Answer(message["id"], self._node(record), asked)
        answer.add(message, record.at_us)
        self._enter(uuid, answer.node)
        for block in answer.blocks[-1:]:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                self._callers[text_of(block.get("id"))] = answer.node

    def _user(self, record: Record, uuid: str) -> Iterator[Told]:
        message = record.body.get("message")
        if not isinstance(message, dict):
            self._note("user record without message", record)
            self._enter(uuid, self._node(record))
            return
        blocks = blocks_of(message.get("content"))
        answers = next((self._callers.get(b.call_id) for b in blocks if b.kind is BlockKind.RESULT), None)
        node = answers or self._node(record)
        if _is_sent(record.body):
            node.messages.append(Message(role="user", blocks=blocks))
        node.at_us = max(node.at_us, record.at_us)
        self._enter(uuid, node)
        yield from ()

    def _attachment(self, record: Record, uuid: str) -> Iterator[Told]:
        node = self._node(record)
        rendered = record.body.get("rendered")
        if isinstance(rendered, list):
            role = text_of(record.body.get("renderedRole")) or "user"
            contents = [part.get("content") for part in rendered if isinstance(part, dict)]
            node.messages += [Message(role=role, blocks=blocks_of(content)) for content in contents]
        elif text := _attached_text(record.body.get("attachment")):
            node.messages.append(Message(role="user", blocks=blocks_of(text)))
        self._enter(uuid, node)
        yield from ()

    def _system(self, record: Record, uuid: str) -> Iterator[Told]:
        node = self._node(record)
        match record.body.get("subtype"):
            case "compact_boundary":
                yield from self._close(node.agent)
                node.parent, node.boundary = None, self._boundary(record.body.get("compactMetadata"))
                yield from self._summary(record, node)
                self._forget(node.agent)
                self.beside.marks += 1
            case "microcompact_boundary":
                told = record.body.get("microcompactMetadata")
                ids = told.get("compactedToolIds") if isinstance(told, dict) else None
                node.cleared = frozenset(map(text_of, ids if isinstance(ids, list) else ()))
            case "api_error":
                self.beside.failed += 1
        self._enter(uuid, node)

    def _boundary(self, told: Json) -> Boundary:
        told = told if isinstance(told, dict) else {}
        kept = told.get("preservedMessages")
        if isinstance(kept, dict) and isinstance(kept.get("uuids"), list):
            nodes = [self._nodes[uuid] for uuid in map(text_of, kept["uuids"]) if uuid in self._nodes]
            self._kept[text_of(kept.get("anchorUuid"))] = nodes
        elif isinstance(segment := told.get("preservedSegment"), dict):
            tail, head = (self._nodes.get(text_of(segment.get(name))) for name in ("tailUuid", "headUuid"))
            self._kept[text_of(segment.get("anchorUuid"))] = _between(head, tail)
        return Boundary(word_of(told.get("trigger"), otherwise=""))

    # --- nodes ---

    def _node(self, record: Record) -> Node:
        agent = self._agent(record)
        self._teller.note_folder(agent, text_of(record.body.get("cwd")))
        named = text_of(record.body.get("parentUuid"))
        parent = self._nodes.get(named)
        if parent is None and named and agent in self._latest:  # its record could not be read: it stood before this one
            self._note("a parent that is not there", record)
            parent = self._latest[agent]
        return Node(parent, record.at_us, agent)

    def _agent(self, record: Record) -> str:
        if record.body.get("isSidechain") is not True:
            return ""
        parent = self._nodes.get(text_of(record.body.get("parentUuid")))
        return (
            text_of(record.body.get("agentId"))
            or (parent.agent if parent else "")
            or text_of(record.body.get("uuid"))[:8]
        )

    def _enter(self, uuid: str, node: Node) -> None:
        self._nodes[uuid] = self._latest[node.agent] = node
        kept = dict.fromkeys(self._kept.pop(uuid, ()))
        if not kept:
            return
        # What a compaction kept stands behind its summary from now on. What follows names the last of it as its parent
        # in some versions, and the summary in others.
        tip, moved = node, {}
        for former in kept:
            tip = moved[former] = former.again(tip)
        self._nodes |= {name: moved[one] for name, one in self._nodes.items() if one in moved}
        self._nodes[uuid] = self._latest[node.agent] = tip

    def _forget(self, agent: str) -> None:
        """Behind a compaction of a very large session, hold what it kept and nothing else."""
        if self._held < HELD_LIMIT:
            return
        kept = {node for nodes in self._kept.values() for node in nodes}
        for node in self._nodes.values():
            if node.agent == agent and node not in kept:
                node.forget()
        self._held = 0

    # --- calls ---

    def _close(self, agent: str) -> Iterator[Told]:
        """The call whose reply was open."""
        answer = self._open.pop(agent, None)
        if answer is not None:
            yield self._teller.call(answer)

    def _summary(self, record: Record, mark: Node) -> Iterator[Told]:
        """The call that wrote a summary: it stands nowhere, but a compaction says that it was made, and of what."""
        tip = self._nodes.get(text_of(record.body.get("logicalParentUuid"))) or self._latest.get(mark.agent)
        if tip is not None and mark.boundary is not None:
            yield from self._teller.summary(tip, mark, mark.boundary.trigger)

    def _note(self, reason: str, record: Record) -> None:
        self._trouble.note(reason, record.file, record.line)


def _is_sent(record: Mapping[str, Json]) -> bool:
    """Whether the model gets to see a user record."""
    return bool(record.get("isCompactSummary")) or not record.get("isVisibleInTranscriptOnly")


def _attached_text(attachment: Json) -> str:
    """The text of a file that was attached, for versions that do not write how it was put to the model."""
    if not isinstance(attachment, dict):
        return ""
    content = attachment.get("content")
    file = content.get("file") if isinstance(content, dict) else None
    return text_of(file.get("content")) if isinstance(file, dict) else text_of(attachment.get("snippet"))


def _between(head: Node | None, tail: Node | None) -> list[Node]:
    nodes: list[Node] = []
    while tail is not None:
        nodes.append(tail)
        if tail is head:
            return nodes[::-1]
        tail = tail.parent
    return []
