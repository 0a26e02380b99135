from __future__ import annotations

from typing import Any

import pytest

from proxy.scripted.actions import Fault, FaultKind, Say
from proxy.scripted.provider import Provider
from proxy.scripted.script import Script, Step
from proxy.scripted.sending.answer import Answer
from proxy.scripted.settings import Chunking, Encoding, Latency, ProviderSettings
from tests.support.scripted import body_of, message_in, user

KEY = {"x-api-key": "key"}


def provider(*scripts: Script, **settings: Any) -> Provider:
    return Provider(ProviderSettings(scripts=scripts, deterministic=True, **settings))


def faulty(kind: FaultKind, **fields: Any) -> Script:
    return Script(name="faulty", steps=(Step(do=(Say("x" * 3000),), fault=Fault(kind=kind, **fields)),))


def ask(server: Provider, prompt: str = "[script faulty]", **fields: Any) -> Answer:
    return server.answer(KEY, body_of(messages=[user(prompt)], **fields))


def test_a_stream_may_end_in_an_error() -> None:
    server = provider(faulty(FaultKind.STREAM_ERROR))
    text = b"".join(ask(server, stream=True).pieces)
    assert b"message_stop" not in text
    assert b"overloaded_error" in text.rsplit(b"event: ", 1)[1]
    assert b"message_stop" in b"".join(ask(server, stream=True).pieces)


def test_an_error_without_a_stream_is_a_status() -> None:
    assert ask(provider(faulty(FaultKind.STREAM_ERROR))).status == 529


def test_a_cut_comes_in_the_middle() -> None:
    answer = ask(provider(faulty(FaultKind.CUT)), stream=True)
    assert answer.cut_after is not None
    assert 0 < answer.cut_after < len(answer.pieces)


@pytest.mark.parametrize("stream", [True, False])
def test_usage_may_be_missing_though_it_was_billed(stream: bool) -> None:
    server = provider(faulty(FaultKind.USAGE_MISSING))
    assert b"usage" not in b"".join(ask(server, stream=stream).pieces)
    assert server.ledger()[0].samplings


def test_a_slow_answer_declares_its_delay() -> None:
    assert ask(provider(faulty(FaultKind.SLOW, delay_s=2.0))).delay_s == 2.0


def test_a_wrong_encoding_is_a_label_on_plain_bytes() -> None:
    answer = ask(provider(faulty(FaultKind.WRONG_ENCODING)))
    assert answer.headers["content-encoding"] == "gzip"
    assert message_in(answer)["stop_reason"] == "end_turn"


@pytest.mark.parametrize("encoding", [Encoding.GZIP, Encoding.BR, Encoding.ZSTD])
def test_answers_are_encoded_as_declared(encoding: Encoding) -> None:
    answer = ask(provider(encoding=encoding), stream=True)
    assert answer.headers["content-encoding"] == encoding.value
    assert b"message_start" not in b"".join(answer.pieces)[:30]


def test_declared_latency_moves_the_logical_clock_and_is_not_slept() -> None:
    server = provider(latency=Latency(first_byte_s=2.0, per_piece_s=0.5), chunking=Chunking(frames_per_piece=1000))
    before = server.clock.now_us()
    answer = ask(server, stream=True)
    assert server.clock.now_us() - before == 2_500_000
    assert (answer.delay_s, answer.piece_delay_s) == (0.0, 0.0)


def test_declared_latency_is_slept_by_the_wall_clock() -> None:
    server = Provider(ProviderSettings(latency=Latency(first_byte_s=2.0, per_piece_s=0.5)))
    answer = ask(server)
    assert (answer.delay_s, answer.piece_delay_s) == (2.0, 0.5)
