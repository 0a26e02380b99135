"""Profile `errors`: what our relay says itself can be told from what a provider says."""

from __future__ import annotations

import json
import socket
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from tests.conformance.harness.bench import Answer, Bench
from tests.conformance.harness.client import AGENT_LINES, TARGET
from tests.conformance.harness.findings import equal, short, true
from tests.conformance.harness.messages import response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.wire import Wire
from tests.conformance.ours.relay import plain, running
from tests.conformance.probes.fidelity_requests import noise
from tests.conformance.probes.websocket import UPGRADE_LINES

SECTION = Section("errors", is_ours=True)
probe = SECTION.probe

MARK = "x-compaction-gate-error"
CANARY = b"canary-7f3a9c"


def check_own_error(answer: Answer, statuses: Collection[int], *, has_body: bool = True) -> None:
    """One of these statuses, our mark, and a provider-shaped JSON body whose length is right."""
    head, body = answer
    true(f"status {head.status} of {short(head.raw)}, expected {sorted(statuses)}", head.status in statuses)
    true(f"{MARK} in {short(head.raw)}", len(head.values(MARK)) == 1 and head.values(MARK)[0])
    equal("content-type", head.values("content-type"), (b"application/json",))
    if not has_body:
        equal("body", body, b"")
        return
    equal("content-length", head.values("content-length"), (b"%d" % len(body),))
    said = json.loads(body)
    equal("body's type", said["type"], "error")
    true(f"error.type and error.message in {said}", said["error"]["type"] and said["error"]["message"])


def own_answer(client: Wire, *, has_body: bool = True) -> Answer:
    """Our relay's answer on a connection that then ends."""
    head = client.read_head("an error of ours")
    body = client.read_body(head) if has_body else b""
    client.expect_end()
    return Answer(head, body)


@probe("error.unreachable", "F19, F20, design §4 Own errors")
def _(bench: Bench) -> None:
    """An upstream that refuses the connection: 502."""
    check_own_error(bench.refused(bench.request(target=b"/dead/v1/messages").raw), {502})


@probe("error.unreachable-head", "design §4 Own errors")
def _(bench: Bench) -> None:
    """An unreachable upstream for a HEAD: 502 without a body."""
    client = bench.connect()
    client.send(bench.request(method=b"HEAD", target=b"/dead/v1/models", body=None).raw)
    check_own_error(own_answer(client, has_body=False), {502}, has_body=False)


@probe("error.unreachable-uploading", "design §4 Own errors")
def _(bench: Bench) -> None:
    """The 502 of an unreachable upstream reaches a client that is still sending a long body."""
    client = bench.connect()
    message = bench.request(target=b"/dead/v1/messages", body=noise(4 << 20))
    bench.background(lambda: client.send(message.raw), may_fail=True)
    head = client.read_head("an error of ours")
    check_own_error(Answer(head, client.read_body(head)), {502})


@probe("error.unreachable-expect", "design §4 Own errors")
def _(bench: Bench) -> None:
    """The 502 of an unreachable upstream comes instead of 100 Continue."""
    client = bench.connect()
    client.send(bench.request(target=b"/dead/v1/messages", lines=(*AGENT_LINES, b"Expect: 100-continue")).head)
    check_own_error(own_answer(client), {502})


@probe("error.unreachable-upgrade", "F38, F39")
def _(bench: Bench) -> None:
    """An upgrade to an upstream that is not there is answered 502 at once, not accepted and left hanging."""
    check_own_error(
        bench.refused(bench.request(method=b"GET", target=b"/dead/v1", lines=UPGRADE_LINES, body=None).raw), {502}
    )


@contextmanager
def mute_port() -> Iterator[int]:
    """A port whose queue of connections is full: nobody refuses, nobody accepts."""
    with ExitStack() as kept:
        listener = kept.enter_context(socket.create_server(("127.0.0.1", 0), backlog=0))
        for _ in range(4):
            waiting = kept.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]


@probe("error.connect-timeout", "design §4 Own errors")
def _(bench: Bench) -> None:
    """An upstream that does not accept in time: 504."""
    port = bench.enter(mute_port())
    spec = replace(plain(port), connect_timeout_s=0.5)
    bench.target = bench.enter(running(spec)).target
    check_own_error(bench.refused(bench.request().raw), {504})


@probe("error.no-upstream", "design §4 Addressing")
def _(bench: Bench) -> None:
    """Without a default upstream a path that names none: 404."""
    spec = replace(plain(bench.upstream.port), default="")
    bench.target = bench.enter(running(spec)).target
    check_own_error(bench.refused(bench.request().raw), {404})
    named = bench.ask(bench.request(target=b"/anthropic/v1/messages"))
    equal("request target", named.head.target, b"/v1/messages")


@probe("error.framing", "design §4 Own errors")
def _(bench: Bench) -> None:
    """A request that cannot be framed safely: 400."""
    lines = (*AGENT_LINES, b"Transfer-Encoding: chunked")
    check_own_error(bench.refused(bench.request(lines=lines).raw), {400})


@probe("error.head-too-large", "design §4 Own errors")
def _(bench: Bench) -> None:
    """A head beyond the limits: 431."""
    large = (b"X-Large: " + b"x" * 66_000,)
    check_own_error(bench.refused(bench.request(method=b"GET", lines=large, body=None).raw), {431})
    many = tuple(b"X-%d: 1" % number for number in range(300))
    check_own_error(bench.refused(bench.request(method=b"GET", lines=many, body=None).raw), {431})


@probe("error.upstream-closed", "F13, F41")
def _(bench: Bench) -> None:
    """An upstream that closes before it answers: 502."""
    asked = bench.ask()
    asked.upstream.close()
    check_own_error(own_answer(asked.client), {502})


@probe("error.upstream-closed-inside-head", "F13")
def _(bench: Bench) -> None:
    """An upstream that closes inside its head: 502, and nothing of that head."""
    asked = bench.ask()
    asked.upstream.send(b"HTTP/1.1 200 OK\r\nContent-Type: te")
    asked.upstream.close()
    check_own_error(own_answer(asked.client), {502})


@probe("error.upstream-closed-after-interim", "F13")
def _(bench: Bench) -> None:
    """An upstream that closes behind a 103: the 103, then 502."""
    asked = bench.ask()
    asked.upstream.send(b"HTTP/1.1 103 Early Hints\r\n\r\n")
    equal("status", asked.client.read_head().status, 103)
    asked.upstream.close()
    check_own_error(own_answer(asked.client), {502})


@probe("error.upstream-framing", "design §4 Framing")
def _(bench: Bench) -> None:
    """An answer that cannot be framed safely: 502."""
    asked = bench.ask()
    asked.upstream.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx")
    check_own_error(own_answer(asked.client), {502})


@probe("error.not-ours", "F20")
def _(bench: Bench) -> None:
    """A provider's error does not bear our mark, not even when the provider sends it."""
    answer = response(b"HTTP/1.1 413 Payload Too Large", b"X-Compaction-Gate-Error: pretended", body=b"{}")
    found = bench.exchange(answer=answer)
    true(f"our mark in {found.lines}", not any(line.lower().startswith(MARK.encode()) for line in found.lines))


@probe("error.no-secrets", "F106, design §4 Secrets")
def _(bench: Bench) -> None:
    """No error repeats a credential, a query or a run tag."""
    lines = (b"Authorization: Bearer " + CANARY, b"x-api-key: " + CANARY, b"Cookie: a=" + CANARY)
    targets = (b"/dead/v1/x?key=" + CANARY, b"/run/" + CANARY + b"/v1/messages", b"/other/../" + CANARY)
    for target in targets:
        answer = bench.refused(bench.request(target=target, lines=lines).raw)
        true(f"the canary in {short(answer.head.raw + answer.body)}", CANARY not in answer.head.raw + answer.body)


@probe("error.answered-in-order", "design §4 Exactness, Own errors")
def _(bench: Bench) -> None:
    """An error of ours for a pipelined request comes behind the answer before it."""
    first = bench.request()
    asked = bench.send(first.raw + bench.request(target=b"/dead/v1/messages").raw)
    asked.upstream.read_body(asked.head)
    asked.client.expect_silence(0.2)
    bench.answer(asked)
    check_own_error(own_answer(asked.client), {502})


@probe("error.unanswered-get-not-repeated", "F41")
def _(bench: Bench) -> None:
    """After our 502 nothing of the request reaches the upstream again."""
    asked = bench.ask(bench.request(method=b"GET", target=TARGET, body=None))
    asked.upstream.abort()
    check_own_error(own_answer(asked.client), {502})
    equal("connections at the upstream", bench.upstream.connections(), 0)
