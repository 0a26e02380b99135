from __future__ import annotations

import json
from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Read, Say
from proxy.scripted.faces.messages.usage import usage_of
from proxy.scripted.provider import Provider
from proxy.scripted.script import Need, Script, Step
from proxy.scripted.sending.answer import Answer
from proxy.scripted.settings import ProviderSettings
from tests.support.scripted import Conversation, assistant, body_of, message_in, user

KEY = {"x-api-key": "key"}
NEED = Need(path="big.txt", shows="line 500\n")
READS = Script(
    name="reads",
    steps=(
        Step(do=(Read("big.txt"),)),
        Step(do=(Read("small.txt"),)),
        Step(do=(Read("other.txt"),), needs=(NEED,)),
        Step(do=(Say("Done."),)),
    ),
)


def provider(*scripts: Script, **settings: Any) -> Provider:
    return Provider(ProviderSettings(scripts=scripts or (READS,), deterministic=True, **settings))


def faulty(kind: FaultKind, **fields: Any) -> Script:
    return Script(name="faulty", steps=(Step(do=(Say("x" * 3000),), fault=Fault(kind=kind, **fields)),))


def ask(server: Provider, prompt: str = "[script faulty]", **fields: Any) -> Answer:
    return server.answer(KEY, body_of(messages=[user(prompt)], **fields))


def read(_name: str, arguments: Any) -> str:
    return "".join(f"line {n}\n" for n in range(900 if arguments["path"] == "big.txt" else 2))


def test_identical_runs_give_identical_bytes() -> None:
    def run() -> list[bytes]:
        server = provider()
        Conversation(server, read).ask("[script reads]")
        return [repr(served).encode() for served in server.ledger()]

    assert run() == run()


def test_without_deterministic_mode_no_two_runs_share_ids() -> None:
    ids = {message_in(ask(Provider(ProviderSettings())))["id"] for _ in range(2)}
    assert len(ids) == 2


def test_call_ids_are_unique_even_when_a_prompt_is_repeated() -> None:
    server = provider()
    ids = [message_in(ask(server, "[script reads]"))["content"][0]["id"] for _ in range(2)]
    assert ids[0] != ids[1]


def test_the_ledger_says_what_was_billed_and_what_was_asked_for() -> None:
    server = provider()
    talk = Conversation(server, read, headers={**KEY, "x-claude-code-session-id": "s", "x-claude-code-agent-id": "a"})
    talk.ask("[script reads]")
    served = server.ledger()
    assert [(s.number, s.session, s.agent, s.attempt, s.status) for s in served] == [
        (n, "s", "a", 1, 200) for n in (1, 2, 3, 4)
    ]
    assert [c["input"]["path"] for s in served for c in s.calls] == ["big.txt", "small.txt", "other.txt"]
    assert served[1].samplings[0].input.uncached > served[0].samplings[0].input.uncached > 0


def test_a_session_id_is_found_in_the_metadata_as_well() -> None:
    server = provider()
    ask(server, metadata={"user_id": json.dumps({"session_id": "s"})})
    assert server.ledger()[0].session == "s"


def test_a_first_try_fails_and_the_next_is_answered() -> None:
    server = provider(faulty(FaultKind.STATUS, times=2, retry_after_s=1))
    answers = [ask(server) for _ in range(3)]
    assert [answer.status for answer in answers] == [529, 529, 200]
    assert answers[0].headers["retry-after"] == "1"
    assert message_in(answers[0])["error"]["type"] == "overloaded_error"
    assert [(s.attempt, bool(s.samplings)) for s in server.ledger()] == [(1, False), (2, False), (3, True)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{",
        b"\xff",
        b'{"messages": 1}',
        b'{"messages": [1]}',
        body_of(messages=[assistant({"type": "tool_result", "tool_use_id": "x"})]),
    ],
)
def test_a_body_that_makes_no_sense_is_a_400(body: bytes) -> None:
    answer = provider().answer(KEY, body)
    assert (answer.status, message_in(answer)["error"]["type"]) == (400, "invalid_request_error")


def test_clearing_happens_before_the_model_sees_the_context() -> None:
    edits = [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "tool_uses", "value": 1},
            "keep": {"type": "tool_uses", "value": 1},
        }
    ]
    server = provider()
    Conversation(server, read, {"context_management": {"edits": edits}}).ask("[script reads]")
    reads = [c["input"]["path"] for s in server.ledger() for c in s.calls]
    assert reads == ["big.txt", "small.txt", "big.txt", "other.txt"]
    assert server.ledger()[2].edits[0]["cleared_tool_uses"] == 1


def test_compaction_on_the_way_bills_two_samplings_and_forces_a_re_read() -> None:
    edits = [{"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1500}}]
    server = provider()
    Conversation(server, read, {"context_management": {"edits": edits}}).ask("[script reads]")
    kinds = [[sampling.kind for sampling in served.samplings] for served in server.ledger()]
    assert ["compaction", "message"] in kinds
    reads = [c["input"]["path"] for s in server.ledger() for c in s.calls]
    assert reads.count("big.txt") > 1
    compacted = next(s for s in server.ledger() if len(s.samplings) == 2)
    assert compacted.blocks[0]["type"] == "compaction"
    usage = usage_of(compacted.samplings, with_iterations=False)
    assert usage["input_tokens"] < usage["iterations"][0]["input_tokens"]


def test_compaction_may_pause_the_turn() -> None:
    wish = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 1}, "pause_after_compaction": True}
    message = message_in(ask(provider(), "[script reads]", context_management={"edits": [wish]}))
    assert (message["stop_reason"], [b["type"] for b in message["content"]]) == ("compaction", ["compaction"])


def test_compaction_on_demand_answers_with_nothing_else() -> None:
    server = provider()
    message = message_in(ask(server, "[script reads]", compaction={"type": "summarize"}))
    assert (message["stop_reason"], [b["type"] for b in message["content"]]) == ("compaction", ["compaction"])
    assert message["usage"]["input_tokens"] == 0
    assert message["usage"]["iterations"][0]["type"] == "compaction"
    assert server.ledger()[0].purpose == "compaction"


def test_a_clients_request_for_a_summary_is_answered_with_one() -> None:
    server = provider()
    prompt = "CRITICAL: Respond with TEXT ONLY. …"
    message = message_in(server.answer(KEY, body_of(messages=[user("[script reads]", prompt)])))
    text = message["content"][0]["text"]
    assert text.startswith("<analysis>")
    assert "[script reads after 0]\n</summary>" in text
    assert server.ledger()[0].purpose == "summary"


def test_counting_tokens_agrees_with_the_bill() -> None:
    server = provider()
    body = body_of(messages=[user("[script reads]")])
    counted = message_in(server.count_tokens(KEY, body))
    server.answer(KEY, body)
    assert counted == {"input_tokens": sum(server.ledger()[0].samplings[0].input)}


def test_counting_tokens_tells_what_clearing_would_save() -> None:
    server = provider()
    body = body_of(messages=[user("hi")], context_management={"edits": []})
    counted = message_in(server.count_tokens(KEY, body))
    assert counted["context_management"]["original_input_tokens"] == counted["input_tokens"]


def test_counting_nonsense_is_a_400() -> None:
    assert provider().count_tokens(KEY, b"[]").status == 400


def test_a_refused_try_is_not_billed_and_leaves_nothing_in_the_cache() -> None:
    server = provider(faulty(FaultKind.STATUS))
    for _ in range(2):
        ask(server, "[script faulty]" + "x" * 9000, cache_control={"type": "ephemeral"})
    refused, answered = server.ledger()
    assert refused.samplings == ()
    assert answered.samplings[0].input.read == 0
    assert answered.samplings[0].input.written_5m > 2000


def test_the_answered_model_may_differ() -> None:
    assert message_in(ask(provider(answered_model="other")))["model"] == "other"
