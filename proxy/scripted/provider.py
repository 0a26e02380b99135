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
from proxy.scripted.asides import aside_of
from proxy.scripted.cache import Prompt, PromptCache, prompt_of
from proxy.scripted.clock import Clock, LogicalClock, WallClock
from proxy.scripted.editing import Edited, after_compaction, edit
from proxy.scripted.faces.face import Asked, BadCallError, Face, Failure, status_of
from proxy.scripted.faces.identity import api_key
from proxy.scripted.faces.messages.face import STATUS_OF_ERROR, Messages
from proxy.scripted.faces.responses.memory import Memory
from proxy.scripted.faces.seals import Seals
from proxy.scripted.reply import Reply, Sampling
from proxy.scripted.script import Policy, ScriptedPolicy
from proxy.scripted.sending.answer import Answer, Sender, plain, refusal
from proxy.scripted.sending.encoding import decoded
from proxy.scripted.settings import ProviderSettings
from proxy.scripted.view import View

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """One model call as the provider knows it."""

    number: int
    at_us: int
    dialect: str
    """Of the face that was spoken to."""
    session: str
    """The client's own session id; empty without one."""
    agent: str
    """The client's sub-agent id; empty on its main thread."""
    label: str
    """`script.step`."""
    purpose: str
    """`turn`, `summary` (a client's request), `compaction` (on demand), `prewarm`, `side` (titles and the like)."""
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
    """In canonical form."""
    headers: Mapping[str, str]
    """As received, names in lower case."""
    request: Json
    """As received."""

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
    """Answers requests in every dialect; keeps prompt cache, attempts, ledger, and what Responses has it hold."""

    def __init__(self, settings: ProviderSettings, *, policy: Policy | None = None, clock: Clock | None = None) -> None:
        self.settings = settings
        self.policy = policy or ScriptedPolicy(settings.scripts, settings.habits, settings.seed)
        self.clock = clock or (LogicalClock() if settings.deterministic else WallClock())
        self._salt = f"{settings.seed}" if settings.deterministic else secrets.token_hex(16)
        self.memory = Memory(Seals(self._salt))
        self._cache = PromptCache(settings.cache)
        self._attempts: Counter[tuple[str, ...]] = Counter()
        self._served: list[Served] = []

    def ledger(self) -> tuple[Served, ...]:
        """Every model call served, in order of arrival."""
        return tuple(self._served)

    def answer(self, headers: Mapping[str, str], body: bytes, face: Face | None = None) -> Answer:
        """Answer one model call; without a face as Anthropic Messages. Header names are in lower case."""
        face = face or self.messages()
        self.clock.advance(self.settings.latency.first_byte_s)
        try:
            asked = face.read(headers, _parsed(headers, body))
        except BadCallError as refused:
            return refusal(face, refused.failure, self._request_id("bad", body))
        served, fault = self._serve(face, headers, asked, body)
        self._served.append(served)
        return self._written(face, asked, served, fault)

    def count_tokens(self, headers: Mapping[str, str], body: bytes, face: Face | None = None) -> Answer:
        """Answer a request that only counts."""
        face = face or self.messages()
        try:
            asked = face.read(headers, _parsed(headers, body))
        except BadCallError as refused:
            return refusal(face, refused.failure, self._request_id("bad", body))
        tokens, unedited = self._tokens(edit(asked.body, self._tokens).body), self._tokens(asked.body)
        return plain(face, face.counted(asked, tokens, unedited), self._request_id("count", body))

    def messages(self) -> Messages:
        """The face of Anthropic Messages, as the settings have it."""
        return Messages(reports_iterations=self.settings.report_iterations)

    def new_id(self, prefix: str) -> str:
        """An id for something that is no model call."""
        self._attempts[(prefix,)] += 1
        return f"{prefix}{self._id(prefix, str(self._attempts[(prefix,)]))}"

    def _serve(self, face: Face, headers: Mapping[str, str], asked: Asked, body: bytes) -> tuple[Served, Fault | None]:
        decided = self._decide(asked)
        place = (asked.session, asked.agent, decided.turn.label or hashlib.sha256(body).hexdigest())
        self._attempts[place] += 1
        attempt, number = self._attempts[place], len(self._served) + 1
        fault = _due(decided.turn.fault, attempt)
        refused = fault is not None and fault.kind is FaultKind.STATUS
        tail = self._id(*place, str(attempt), number="" if self.settings.deterministic else str(number))
        served = Served(
            number=number,
            at_us=self.clock.now_us(),
            dialect=face.name,
            session=asked.session,
            agent=asked.agent,
            label=decided.turn.label,
            purpose=decided.purpose,
            attempt=attempt,
            status=status_of(face, fault.status) if fault is not None and refused else 200,
            fault="" if fault is None else fault.kind.value,
            message_id="" if refused else f"{face.id_prefix}{tail}",
            stop_reason="" if refused else decided.turn.stop_reason,
            samplings=() if refused else self._billed(asked, decided.prompts, salt=api_key(headers)),
            edits=decided.edits,
            blocks=() if refused else tuple(_with_unique_id(block, tail) for block in decided.turn.blocks),
            headers=dict(headers),
            request=asked.raw,
        )
        return served, fault

    def _decide(self, asked: Asked) -> _Decided:
        edited = edit(asked.body, self._tokens)
        view = View(edited.body)
        if "compaction" in asked.body or edited.compact is not None:
            return self._compact(asked.body, edited)
        if asked.prewarm:
            turn, purpose = Turn(blocks=(), stop_reason="max_tokens", label=""), "prewarm"
        elif (aside := aside_of(view, asked.schema, self.policy.summarise)) is not None:
            block = {"type": "text", "text": aside.text}
            turn, purpose = Turn(blocks=(block,), stop_reason="end_turn", label=""), aside.purpose
        else:
            turn, purpose = self.policy.act(view), "turn"
        return _Decided(turn, purpose, (_Prompted("message", edited.body, turn.blocks),), edited.applied)

    def _compact(self, body: Json, edited: Edited) -> _Decided:
        wish = edited.compact or body["compaction"]
        keeps = {"keeps_texts": True} if wish.get("keeps_texts") else {}
        block: Json = {"type": "compaction", "content": self.policy.summarise(View(edited.body)), **keeps}
        prompt = _Prompted("compaction", edited.body, (block,))
        if edited.compact is None or wish.get("pause_after_compaction"):
            turn = Turn(blocks=(block,), stop_reason="compaction", label="")
            return _Decided(turn, "compaction" if "compaction" in body else "turn", (prompt,), edited.applied)
        shorter = after_compaction(edited.body, block)
        turn = self.policy.act(View(shorter))
        prompts = (prompt, _Prompted("message", shorter, turn.blocks))
        return _Decided(replace(turn, blocks=(block, *turn.blocks)), "turn", prompts, edited.applied)

    def _billed(self, asked: Asked, prompts: Sequence[_Prompted], *, salt: str) -> tuple[Sampling, ...]:
        """Each sampling through the prompt cache, in order."""
        model, scale, now_us = self._model(asked), self.settings.tokens_per_kib, self.clock.now_us()
        bills = [(each, self._cache.bill(self._prompt(each.body), salt=salt, now_us=now_us)) for each in prompts]
        if asked.prewarm:
            return tuple(reply.prewarm(model, bill) for _, bill in bills)
        return tuple(reply.sample(each.kind, model, bill, each.blocks, scale) for each, bill in bills)

    def _tokens(self, body: Json) -> int:
        return self._prompt(body).tokens

    def _prompt(self, body: Json) -> Prompt:
        rules = self.settings
        return prompt_of(body, tokens_per_kib=rules.tokens_per_kib, automatic=rules.cache.automatic)

    def _model(self, asked: Asked) -> str:
        return self.settings.answered_model or str(asked.body.get("model", ""))

    def _id(self, *parts: str | bytes, number: str = "") -> str:
        return hashlib.sha256(repr((self._salt, parts, number)).encode()).hexdigest()[:24]

    def _request_id(self, *parts: str | bytes) -> str:
        return f"req_{self._id(*parts)}"

    def _written(self, face: Face, asked: Asked, served: Served, fault: Fault | None) -> Answer:
        request_id = self._request_id(str(served.number), served.message_id)
        if fault is not None and served.status != 200:
            text = f"scripted {STATUS_OF_ERROR.get(fault.status, 'api_error')}"
            return refusal(face, Failure(served.status, text), request_id, fault=fault)
        whole = Reply(
            id=served.message_id,
            created_us=served.at_us,
            model=self._model(asked),
            blocks=served.blocks,
            stop_reason=served.stop_reason,
            samplings=served.samplings,
            edits=served.edits,
            tells_usage=served.fault != FaultKind.USAGE_MISSING,
        )
        sender = Sender(face, request_id, self.settings, self.clock)
        return sender.send(asked, face.document(asked, whole), fault)


def _parsed(headers: Mapping[str, str], body: bytes) -> Json:
    try:
        request = json.loads(decoded(body, headers.get("content-encoding", "")))
    except ValueError as failure:
        raise BadCallError(str(failure)) from None
    if not isinstance(request, dict):
        raise BadCallError("the body is no JSON object")
    return request


def _due(fault: Fault | None, attempt: int) -> Fault | None:
    return fault if fault is not None and attempt <= fault.times else None


def _with_unique_id(block: Json, tail: str) -> Json:
    return {**block, "id": f"{block['id']}_{tail[:8]}"} if block["type"] == "tool_use" else block
