"""Claude Code's session files as model calls.

What they tell: every message with its parent, every reply's usage, where a compaction was. What they do not tell:
system prompt, tools, the call that wrote a summary, tries that failed. Files of sub-agents hold the same kinds of
records. A session that was taken up in a new file repeats the former one's records there: each uuid counts once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b

from proxy.journey.reading import Reading
from proxy.model.exchange import Headers
from proxy.model.ids import ExchangeId
from proxy.model.messages import Block, BlockKind, Message, Reply, Request
from proxy.transcripts.calls import Beside, Record, Told
from proxy.transcripts.stub import TOLD_TOOLS, exchange
from proxy.transcripts.tree import Boundary, Node, Path, Way
from proxy.transcripts.trouble import Trouble
from proxy.wire.anthropic_messages.blocks import blocks_of
from proxy.wire.anthropic_messages.reply import MessageAssembler
from proxy.wire.anthropic_messages.request import NAME
from proxy.wire.json_values import Json, text_of, word_of

CLIENT = "claude-code"
CWD = "Working directory: "
"""How the system prompt tells the folder: all of it that a transcript knows."""
SYNTHETIC = "<synthetic>"
"""The model of replies that the client wrote by itself."""

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


@dataclass(slots=True)
class _Answer:
    """One reply while its records come."""

    id: str
    node: Node
    model: str
    """As asked for."""
    blocks: list[Json] = field(default_factory=list)
    fields: dict[str, Json] = field(default_factory=dict)
    """The message without its content."""
    ended_us: int = 0

    def add(self, message: Mapping[str, Json], at_us: int) -> None:
        """One record's part of it: a block or more, and the usage as known by then."""
        content = message.get("content")
        self.blocks += content if isinstance(content, list) else [content]
        usage = _merged_usage(self.fields.get("usage"), message.get("usage"))
        told = {key: value for key, value in message.items() if value is not None or key not in self.fields}
        self.fields |= told | {"usage": usage}
        self.ended_us = max(self.ended_us, at_us)

    def reply(self) -> Reply:
        """All of it."""
        assembler = MessageAssembler(200)
        assembler.document(self.fields | {"content": self.blocks})
        return assembler.reply()


def _merged_usage(former: Json, later: Json) -> Json:
    """The later one holds; output that was counted before is not lost."""
    if not isinstance(former, dict) or not isinstance(later, dict):
        return former if later is None else later
    outputs = [count for usage in (former, later) if type(count := usage.get("output_tokens")) is int]
    return former | later | ({"output_tokens": max(outputs)} if outputs else {})


class ClaudeCode:
    """Reads one session's records, in the order of time."""

    def __init__(self, session: str, beside: Beside, trouble: Trouble) -> None:
        self.beside = beside
        self._session = session
        self._trouble = trouble
        self._writer = blake2b(session.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
        self._number = 0
        self._version = ""
        self._systems: dict[str, tuple[Block, ...]] = {}
        """By agent: what is known of its system prompt."""
        self._nodes: dict[str, Node] = {}
        """By uuid of each record."""
        self._callers: dict[str, Node] = {}
        """By id of a tool call: the reply that asked for it."""
        self._kept: dict[str, list[Node]] = {}
        """By uuid of a record that is to come: what a compaction kept, to stand behind it."""
        self._paths: dict[str, Path] = {}
        self._open: dict[str, _Answer] = {}
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
            self._version = text_of(record.body.get("version")) or self._version
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
            return
        if message.get("model") == SYNTHETIC or record.body.get("isApiErrorMessage"):
            self._nodes[uuid] = self._node(record)
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
            answer = self._open[agent] = _Answer(message["id"], self._node(record), asked)
        answer.add(message, record.at_us)
        self._nodes[uuid] = answer.node
        for block in answer.blocks[-1:]:
            if isinstance(block, dict) and block.get("type") == "tool_use":
                self._callers[text_of(block.get("id"))] = answer.node

    def _user(self, record: Record, uuid: str) -> Iterator[Told]:
        message = record.body.get("message")
        if not isinstance(message, dict):
            self._note("user record without message", record)
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
                node.parent = None
                node.boundary = self._boundary(record.body.get("compactMetadata"))
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
        agent, cwd = self._agent(record), text_of(record.body.get("cwd"))
        if agent not in self._systems and cwd:
            self._systems[agent] = blocks_of(f"{CWD}{cwd}")
        return Node(self._nodes.get(text_of(record.body.get("parentUuid"))), record.at_us, agent)

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
        self._nodes[uuid] = node
        for kept in dict.fromkeys(self._kept.pop(uuid, ())):
            node.messages += kept.messages

    # --- calls ---

    def _close(self, agent: str) -> Iterator[Told]:
        """The call whose reply was open, with the history that stood before it."""
        answer = self._open.pop(agent, None)
        if answer is None:
            return
        reply = answer.reply()
        self.beside.open_outputs += not reply.stop_reason
        way = self._paths.setdefault(agent, Path()).to(answer.node.parent)
        answer.node.messages.insert(0, Message(role="assistant", blocks=reply.blocks))
        self.beside.followed += len(way.crossed)
        self._number += 1
        opened_us = min(way.at_us or answer.ended_us, answer.ended_us)
        request = Request(
            dialect=NAME,
            model=answer.model,
            stream=True,
            system=self._systems.get(agent, ()),
            messages=way.messages,
            tools=TOLD_TOOLS,
            metadata={},
        )
        stub = exchange(ExchangeId(self._writer, self._number), self._headers(agent, way), opened_us, answer.ended_us)
        yield Told(stub, Reading(request, reply))

    def _headers(self, agent: str, way: Way) -> Headers:
        """What this client would have sent."""
        headers = [("user-agent", f"claude-cli/{self._version}"), ("x-claude-code-session-id", self._session)]
        if agent:
            headers.append(("x-claude-code-agent-id", agent))
        if way.crossed and way.crossed[-1].trigger:
            headers.append(("x-claude-code-context-compacted", way.crossed[-1].trigger))
        return tuple(headers)

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
