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
from proxy.scripted.cache import Prompt, PromptCache, encode, prompt_of
from proxy.scripted.clock import Clock, LogicalClock, WallClock
from proxy.scripted.editing import Edited, after_compaction, edit
from proxy.scripted.reply import Sampling
from proxy.scripted.script import Policy, ScriptedPolicy
from proxy.scripted.settings import ProviderSettings
from proxy.scripted.stream import decoded
from proxy.scripted.view import View, unpaired
from proxy.scripted.writing import Answer, refusal, write, write_stream

Json = Mapping[str, Any]
SUMMARY_OPENINGS = ("CRITICAL: Respond with TEXT ONLY", "Your task is to create a detailed summary")
"""How a client's request for a summary of its history begins; never more than these openings."""

CLIENT_SUMMARY = "<analysis>\nThe work is plain.\n</analysis>\n<summary>\n{}\n</summary>"


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


class _Prompted(NamedTuple):
    """One sampling before it is billed."""

    kind: str
    """`message` or `compaction`."""
    body: Json
    """What the model sees."""
    blocks: tuple[Json, ...]
    """What it writes."""


class _Decided(NamedTuple):
    """What the policy does about a request."""

    turn: Turn
    purpose: str
    prompts: tuple[_Prompted, ...]
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
        self.clock.advance(self.settings.latency.first_byte_s)
        try:
            request = _parsed(headers, body)
        except ValueError as failure:
            return refusal(400, f"req_{self._id('bad', body)}", str(failure))
        served, fault = self._serve(headers, request, body)
        self._served.append(served)
        return self._written(served, fault)

    def count_tokens(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer `POST /v1/messages/count_tokens`."""
        try:
            request = _parsed(headers, body)
        except ValueError as failure:
            return refusal(400, f"req_{self._id('bad', body)}", str(failure))
        counted: dict[str, Any] = {"input_tokens": self._tokens(edit(request, self._tokens).body)}
        if "context_management" in request:
            counted["context_management"] = {"original_input_tokens": self._tokens(request)}
        return Answer(status=200, headers={"content-type": "application/json"}, pieces=(encode(counted),))

    def _serve(self, headers: Mapping[str, str], request: Json, body: bytes) -> tuple[Served, Fault | None]:
        decided = self._decide(request)
        session, agent = _identity(headers, request)
        place = (session, agent, decided.turn.label or hashlib.sha256(body).hexdigest())
        self._attempts[place] += 1
        attempt, number = self._attempts[place], len(self._served) + 1
        fault = _due(decided.turn.fault, attempt)
        refused = fault is not None and fault.kind is FaultKind.STATUS
        tail = self._id(*place, str(attempt), number="" if self.settings.deterministic else str(number))
        served = Served(
            number=number,
            at_us=self.clock.now_us(),
            session=session,
            agent=agent,
            label=decided.turn.label,
            purpose=decided.purpose,
            attempt=attempt,
            status=fault.status if fault is not None and refused else 200,
            fault="" if fault is None else fault.kind.value,
            message_id="" if refused else f"msg_{tail}",
            stop_reason="" if refused else decided.turn.stop_reason,
            samplings=() if refused else self._billed(request, decided.prompts, salt=_api_key(headers)),
            edits=decided.edits,
            blocks=() if refused else tuple(_with_unique_id(block, tail) for block in decided.turn.blocks),
            headers=dict(headers),
            request=request,
        )
        return served, fault

    def _decide(self, request: Json) -> _Decided:
        edited = edit(request, self._tokens)
        view = View(edited.body)
        if "compaction" in request or edited.compact is not None:
            return self._compact(request, edited)
        if any(opening in view.last_prompt() for opening in SUMMARY_OPENINGS):
            block = {"type": "text", "text": CLIENT_SUMMARY.format(self.policy.summarise(view))}
            turn, purpose = Turn(blocks=(block,), stop_reason="end_turn", label=""), "summary"
        else:
            turn, purpose = self.policy.act(view), "turn"
        return _Decided(turn, purpose, (_Prompted("message", edited.body, turn.blocks),), edited.applied)

    def _compact(self, request: Json, edited: Edited) -> _Decided:
        summary = self.policy.summarise(View(edited.body))
        block: Json = {"type": "compaction", "content": summary}
        prompt = _Prompted("compaction", edited.body, (block,))
        if edited.compact is None or edited.compact.get("pause_after_compaction"):
            turn = Turn(blocks=(block,), stop_reason="compaction", label="")
            return _Decided(turn, "compaction" if "compaction" in request else "turn", (prompt,), edited.applied)
        shorter = after_compaction(edited.body, summary)
        turn = self.policy.act(View(shorter))
        prompts = (prompt, _Prompted("message", shorter, turn.blocks))
        return _Decided(replace(turn, blocks=(block, *turn.blocks)), "turn", prompts, edited.applied)

    def _billed(self, request: Json, prompts: Sequence[_Prompted], *, salt: str) -> tuple[Sampling, ...]:
        """Each sampling through the prompt cache, in order."""
        model, scale, now_us = self._model(request), self.settings.tokens_per_kib, self.clock.now_us()
        return tuple(
            reply.sample(kind, model, self._cache.bill(self._prompt(body), salt=salt, now_us=now_us), blocks, scale)
            for kind, body, blocks in prompts
        )

    def _tokens(self, body: Json) -> int:
        return self._prompt(body).tokens

    def _prompt(self, body: Json) -> Prompt:
        rules = self.settings
        return prompt_of(body, tokens_per_kib=rules.tokens_per_kib, automatic=rules.cache.automatic)

    def _model(self, request: Json) -> str:
        return self.settings.answered_model or str(request.get("model", ""))

    def _id(self, *parts: str | bytes, number: str = "") -> str:
        return hashlib.sha256(repr((self._salt, parts, number)).encode()).hexdigest()[:24]

    def _written(self, served: Served, fault: Fault | None) -> Answer:
        request_id = f"req_{self._id(str(served.number), served.message_id)}"
        if served.status != 200:
            return refusal(served.status, request_id, fault=fault)
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
        written = write if served.request.get("stream") is not True else write_stream
        return written(whole, request_id, settings=self.settings, clock=self.clock, fault=fault)


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


def _due(fault: Fault | None, attempt: int) -> Fault | None:
    return fault if fault is not None and attempt <= fault.times else None


def _with_unique_id(block: Json, tail: str) -> Json:
    return {**block, "id": f"{block['id']}_{tail[:8]}"} if block["type"] == "tool_use" else block
