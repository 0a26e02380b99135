"""One request in, one answer out, and the ledger of what was served: the other side of every comparison."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from proxy.scripted import reply
from proxy.scripted.actions import Fault, FaultKind, Turn
from proxy.scripted.cache import InputUsage, Prompt, PromptCache, encode, prompt_of
from proxy.scripted.clock import Clock, LogicalClock, WallClock
from proxy.scripted.editing import after_compaction, edit
from proxy.scripted.reply import Sampling
from proxy.scripted.script import Policy, ScriptedPolicy
from proxy.scripted.settings import Encoding, ProviderSettings
from proxy.scripted.stream import decoded, encoded, error_frame, frames, pieces
from proxy.scripted.view import View, unpaired

Json = Mapping[str, Any]
SUMMARY_OPENINGS = ("CRITICAL: Respond with TEXT ONLY", "Your task is to create a detailed summary")
"""How a client's request for a summary of its history begins; never more than these openings."""

CLIENT_SUMMARY = "<analysis>\nThe work is plain.\n</analysis>\n<summary>\n{}\n</summary>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What goes back, ready to be written."""

    status: int
    headers: Mapping[str, str]
    pieces: tuple[bytes, ...]
    delay_s: float = 0.0
    piece_delay_s: float = 0.0
    cut_after: int | None = None
    """Pieces after which the connection ends without an end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One model call as the provider knows it."""

    number: int
    at_us: int
    session: str
    """The client's own session id; empty without one."""
    agent: str
    """The client's sub-agent id; empty on its main thread."""
    label: str
    """`script.step`."""
    purpose: str
    """`turn`, `summary` (a client's request), `compaction` (on demand)."""
    attempt: int
    """1-based try of this step on this thread."""
    status: int
    fault: str
    """Kind of the fault that was played; empty without."""
    message_id: str
    stop_reason: str
    samplings: tuple[Sampling, ...]
    """What was billed, whether it was reported or not; empty when nothing was sampled."""
    edits: tuple[Json, ...]
    blocks: tuple[Json, ...]
    headers: Mapping[str, str]
    """As received, names in lower case."""
    request: Json

    @property
    def calls(self) -> tuple[Json, ...]:
        """Tool calls of the answer."""
        return tuple(block for block in self.blocks if block["type"] == "tool_use")


class _Sampled(NamedTuple):
    turn: Turn
    purpose: str
    samplings: tuple[Sampling, ...]
    edits: tuple[Json, ...]


class Provider:
    """Answers requests; keeps prompt cache, attempts and ledger, and nothing else between requests."""

    def __init__(self, settings: ProviderSettings, *, policy: Policy | None = None, clock: Clock | None = None) -> None:
        self.settings = settings
        self.policy = policy or ScriptedPolicy(settings.scripts, settings.habits, settings.seed)
        self.clock = clock or (LogicalClock() if settings.deterministic else WallClock())
        self._salt = f"{settings.seed}" if settings.deterministic else secrets.token_hex(16)
        self._cache = PromptCache(settings.cache)
        self._attempts: Counter[tuple[str, ...]] = Counter()
        self._served: list[Served] = []

    def ledger(self) -> tuple[Served, ...]:
        """Every model call served, in order of arrival."""
        return tuple(self._served)

    def answer(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer `POST /v1/messages`. Header names are in lower case."""
        number = len(self._served) + 1
        self.clock.advance(self.settings.latency.first_byte_s)
        try:
            request = _parsed(headers, body)
        except ValueError as failure:
            return self._refusal(400, str(failure), f"req_{self._id('bad', body)}")
        sampled = self._sample(request, salt=_api_key(headers))
        session, agent = _identity(headers, request)
        place = (session, agent, sampled.turn.label or hashlib.sha256(body).hexdigest())
        self._attempts[place] += 1
        attempt = self._attempts[place]
        fault = _due(sampled.turn.fault, attempt)
        tail = self._id(*place, str(attempt), number="" if self.settings.deterministic else str(number))
        turn = replace(sampled.turn, blocks=tuple(_with_unique_id(block, tail) for block in sampled.turn.blocks))
        refused = fault is not None and fault.kind is FaultKind.STATUS
        served = Served(
            number=number,
            at_us=self.clock.now_us(),
            session=session,
            agent=agent,
            label=turn.label,
            purpose=sampled.purpose,
            attempt=attempt,
            status=fault.status if fault is not None and refused else 200,
            fault="" if fault is None else fault.kind.value,
            message_id="" if refused else f"msg_{tail}",
            stop_reason="" if refused else turn.stop_reason,
            samplings=() if refused else sampled.samplings,
            edits=sampled.edits,
            blocks=() if refused else turn.blocks,
            headers=dict(headers),
            request=request,
        )
        self._served.append(served)
        return self._written(served, fault)

    def count_tokens(self, headers: Mapping[str, str], body: bytes) -> Json:
        """Answer `POST /v1/messages/count_tokens`.

        Raises:
            ValueError: the body is no JSON object.
        """
        request = _parsed(headers, body)
        edited = edit(request, lambda changed: self._prompt(changed).tokens)
        counted: dict[str, Any] = {"input_tokens": self._prompt(edited.body).tokens}
        if "context_management" in request:
            counted["context_management"] = {"original_input_tokens": self._prompt(request).tokens}
        return counted

    def _sample(self, request: Json, *, salt: str) -> _Sampled:
        edited = edit(request, lambda changed: self._prompt(changed).tokens)
        view = View(edited.body)
        first = self._bill(edited.body, salt)
        if "compaction" in request or edited.compact is not None:
            return self._compacted(request, edited.body, edited.applied, salt=salt, first=first)
        if any(opening in view.last_prompt() for opening in SUMMARY_OPENINGS):
            block = {"type": "text", "text": CLIENT_SUMMARY.format(self.policy.summarise(view))}
            turn, purpose = Turn(blocks=(block,), stop_reason="end_turn", label=""), "summary"
        else:
            turn, purpose = self.policy.act(view), "turn"
        return _Sampled(turn, purpose, (self._sampling("message", request, first, turn.blocks),), edited.applied)

    def _compacted(
        self, request: Json, body: Json, applied: tuple[Json, ...], *, salt: str, first: InputUsage
    ) -> _Sampled:
        summary = self.policy.summarise(View(body))
        block: Json = {"type": "compaction", "content": summary}
        compaction = self._sampling("compaction", request, first, (block,))
        wish = next((w for w in _wishes(request) if w.get("type") == "compact_20260112"), {})
        if "compaction" in request or wish.get("pause_after_compaction"):
            turn = Turn(blocks=(block,), stop_reason="compaction", label="")
            return _Sampled(turn, "compaction" if "compaction" in request else "turn", (compaction,), applied)
        shorter = after_compaction(body, summary)
        turn = self.policy.act(View(shorter))
        own = self._sampling("message", request, self._bill(shorter, salt), turn.blocks)
        return _Sampled(replace(turn, blocks=(block, *turn.blocks)), "turn", (compaction, own), applied)

    def _sampling(self, kind: str, request: Json, prompt: InputUsage, blocks: Sequence[Json]) -> Sampling:
        return reply.sample(kind, self._model(request), prompt, blocks, self.settings.tokens_per_kib)

    def _bill(self, body: Json, salt: str) -> InputUsage:
        return self._cache.bill(self._prompt(body), salt=salt, now_us=self.clock.now_us())

    def _prompt(self, body: Json) -> Prompt:
        rules = self.settings
        return prompt_of(body, tokens_per_kib=rules.tokens_per_kib, automatic=rules.cache.automatic)

    def _model(self, request: Json) -> str:
        return self.settings.answered_model or str(request.get("model", ""))

    def _id(self, *parts: str | bytes, number: str = "") -> str:
        return hashlib.sha256(repr((self._salt, parts, number)).encode()).hexdigest()[:24]

    def _refusal(self, status: int, text: str, request_id: str, *, retry_after_s: int | None = None) -> Answer:
        body = encode(reply.error(reply.STATUS_OF_ERROR.get(status, "api_error"), text, request_id))
        retry = {} if retry_after_s is None else {"retry-after": str(retry_after_s)}
        headers = {"content-type": "application/json", "request-id": request_id, **retry}
        return Answer(status=status, headers=headers, pieces=(body,))

    def _written(self, served: Served, fault: Fault | None) -> Answer:
        request_id = f"req_{self._id(str(served.number), served.message_id)}"
        if served.status != 200:
            kind = reply.STATUS_OF_ERROR.get(served.status, "api_error")
            retry_after_s = None if fault is None else fault.retry_after_s
            return self._refusal(served.status, f"scripted {kind}", request_id, retry_after_s=retry_after_s)
        usage = None
        if served.fault != FaultKind.USAGE_MISSING:
            usage = reply.usage_of(served.samplings, with_iterations=self.settings.report_iterations)
        whole = reply.message(
            message_id=served.message_id,
            model=self._model(served.request),
            blocks=served.blocks,
            stop_reason=served.stop_reason,
            usage=usage,
            edits=served.edits,
        )
        if served.request.get("stream") is True:
            return self._streamed(whole, fault, request_id)
        return self._unstreamed(whole, fault, request_id)

    def _streamed(self, whole: Json, fault: Fault | None, request_id: str) -> Answer:
        events = list(frames(whole, self.settings.chunking))
        if fault is not None and fault.kind is FaultKind.STREAM_ERROR:
            events = [*events[: len(events) // 2], error_frame("overloaded_error", "scripted overloaded_error")]
        return self._encoded(list(pieces(events, self.settings.chunking)), "text/event-stream", fault, request_id)

    def _unstreamed(self, whole: Json, fault: Fault | None, request_id: str) -> Answer:
        if fault is not None and fault.kind is FaultKind.STREAM_ERROR:
            return self._refusal(529, "scripted overloaded_error", request_id)
        return self._encoded([encode(whole)], "application/json", fault, request_id)

    def _encoded(self, parts: list[bytes], content_type: str, fault: Fault | None, request_id: str) -> Answer:
        kind = None if fault is None else fault.kind
        wrong = kind is FaultKind.WRONG_ENCODING
        encoding = Encoding.IDENTITY if wrong else self.settings.encoding
        label = Encoding.GZIP if wrong else encoding
        headers = {"content-type": content_type, "request-id": request_id}
        if label is not Encoding.IDENTITY:
            headers["content-encoding"] = label.value
        written = tuple(encoded(iter(parts), encoding))
        latency = self.settings.latency
        self.clock.advance(latency.per_piece_s * len(written))
        slow_s = fault.delay_s if fault is not None and kind is FaultKind.SLOW else 0.0
        return Answer(
            status=200,
            headers=headers,
            pieces=written,
            delay_s=slow_s + (latency.first_byte_s if self.clock.sleeps else 0.0),
            piece_delay_s=latency.per_piece_s if self.clock.sleeps else 0.0,
            cut_after=len(written) // 2 if kind is FaultKind.CUT else None,
        )


def _parsed(headers: Mapping[str, str], body: bytes) -> Json:
    request = json.loads(decoded(body, headers.get("content-encoding", "")))
    messages = request.get("messages") if isinstance(request, dict) else None
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        raise ValueError("messages: a list of objects is required")
    if fault := unpaired(messages):
        raise ValueError(fault)
    return dict(request)


def _api_key(headers: Mapping[str, str]) -> str:
    return headers.get("x-api-key") or headers.get("authorization", "")


def _identity(headers: Mapping[str, str], request: Json) -> tuple[str, str]:
    """The client's session and sub-agent ids, as it gave them."""
    session = headers.get("x-claude-code-session-id", "")
    user = (request.get("metadata") or {}).get("user_id", "")
    if not session and isinstance(user, str) and user.startswith("{"):
        session = str(json.loads(user).get("session_id", ""))
    return session, headers.get("x-claude-code-agent-id", "")


def _wishes(request: Json) -> Sequence[Json]:
    return (request.get("context_management") or {}).get("edits") or ()


def _due(fault: Fault | None, attempt: int) -> Fault | None:
    return fault if fault is not None and attempt <= fault.times else None


def _with_unique_id(block: Json, tail: str) -> Json:
    return {**block, "id": f"{block['id']}_{tail[:8]}"} if block["type"] == "tool_use" else block
