"""Profile `websocket`: an upgrade is spliced only when both sides agreed to it, then bytes pass both ways."""

from __future__ import annotations

import base64
import hashlib
import os

from tests.conformance.harness.bench import Asked, Bench, answer_of
from tests.conformance.harness.client import AGENT_LINES, end_to_end
from tests.conformance.harness.findings import RefusedError, equal, short, true
from tests.conformance.harness.messages import HEAD_END, OK, Message, only, response, without
from tests.conformance.harness.registry import Section
from tests.conformance.probes.fidelity_requests import noise

SECTION = Section("websocket")
probe = SECTION.probe

KEY = b"dGhlIHNhbXBsZSBub25jZQ=="
ACCEPT = base64.b64encode(hashlib.sha1(KEY + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
UPGRADE_LINES = (
    *AGENT_LINES[:8],
    b"Connection: Upgrade",
    b"Upgrade: websocket",
    b"Sec-WebSocket-Version: 13",
    b"Sec-WebSocket-Key: " + KEY,
    b"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits",
    b"Sec-WebSocket-Protocol: responses, openai-insecure-api-key.sk-conformance",
)
SWITCH = Message(
    b"HTTP/1.1 101 Switching Protocols",
    (
        b"Upgrade: websocket",
        b"connection: upgrade",
        b"Sec-WebSocket-Accept: " + ACCEPT,
        b"sec-websocket-extensions: permessage-deflate; server_no_context_takeover",
        b"X-Request-Id: req_1",
    ),
)


def frame(opcode: int, payload: bytes, *, masked: bool) -> bytes:
    """One final RFC 6455 frame."""
    size, bit = len(payload), 0x80 if masked else 0
    if size < 126:
        head = bytes((0x80 | opcode, bit | size))
    elif size < 1 << 16:
        head = bytes((0x80 | opcode, bit | 126)) + size.to_bytes(2)
    else:
        head = bytes((0x80 | opcode, bit | 127)) + size.to_bytes(8)
    if not masked:
        return head + payload
    key = os.urandom(4)
    whole = int.from_bytes(payload) ^ int.from_bytes((key * (size // 4 + 1))[:size])
    return head + key + whole.to_bytes(size)


def upgrade(bench: Bench) -> Message:
    """The client's request for an upgrade."""
    return bench.request(method=b"GET", target=b"/v1/responses", lines=UPGRADE_LINES, body=None)


def spliced(bench: Bench) -> Asked:
    """A connection on which the upgrade has been accepted."""
    asked = bench.send(upgrade(bench))
    asked.upstream.send(SWITCH.head)
    equal("status", asked.client.read_head("a 101").status, 101)
    return asked


@probe("websocket.request-lines", "design §4 Exactness")
def _(bench: Bench) -> None:
    """The upgrade's header lines arrive, Connection and Upgrade among them."""
    message = upgrade(bench)
    head = bench.send(message).head
    true(f"Connection: {head.values('connection')}", head.values("connection")[0].lower() == b"upgrade")
    equal("lines lost", [line for line in end_to_end(message.lines) if line not in head.lines], [])


@probe("websocket.request-exact", "design §4 Exactness", ours=True)
def _(bench: Bench) -> None:
    """The upgrade's header lines arrive as sent, in their order."""
    message = upgrade(bench)
    equal("header lines", without(bench.send(message).head.lines, "host"), without(message.lines, "host"))


@probe("websocket.switch-lines", "design §4 Exactness")
def _(bench: Bench) -> None:
    """The 101's header lines arrive."""
    asked = bench.send(upgrade(bench))
    asked.upstream.send(SWITCH.head)
    head = asked.client.read_head("a 101")
    equal("lines lost", [line for line in end_to_end(SWITCH.lines) if line not in head.lines], [])


@probe("websocket.switch-exact", "design §4 Exactness", ours=True)
def _(bench: Bench) -> None:
    """The 101 arrives as sent, byte for byte."""
    asked = bench.send(upgrade(bench))
    asked.upstream.send(SWITCH.head)
    equal("the 101", asked.client.read_head("a 101").raw, SWITCH.head)


@probe("websocket.splice", "F37, F39, design §4 Framing")
def _(bench: Bench) -> None:
    """Frames pass both ways, each before the next is sent."""
    asked = spliced(bench)
    for number in range(20):
        request, answer = frame(1, b'{"n": %d}' % number, masked=True), frame(2, noise(number * 40), masked=False)
        asked.client.send(request)
        equal("frame at the upstream", asked.upstream.read(len(request)), request)
        asked.upstream.send(answer)
        equal("frame at the client", asked.client.read(len(answer)), answer)


@probe("websocket.not-parsed", "design §4 Framing")
def _(bench: Bench) -> None:
    """After the 101 bytes pass whatever they are: half frames, broken ones, HTTP-like ones."""
    asked = spliced(bench)
    for odd in (b"\xff", b"\x81", b"GET / HTTP/1.1\r\n\r\n", bytes(3), b"\r\n\r\n0\r\n\r\n"):
        asked.client.send(odd)
        equal("bytes at the upstream", asked.upstream.read(len(odd)), odd)
        asked.upstream.send(odd)
        equal("bytes at the client", asked.client.read(len(odd)), odd)


@probe("websocket.first-frame-with-101", "design §4 Framing")
def _(bench: Bench) -> None:
    """A frame in the same packet as the 101 is not lost."""
    asked = bench.send(upgrade(bench))
    hello = frame(1, b'{"type":"hello"}', masked=False)
    asked.upstream.send(SWITCH.head + hello)
    equal("status", asked.client.read_head("a 101").status, 101)
    equal("frame", asked.client.read(len(hello)), hello)


@probe("websocket.early-client-bytes", "design §4 Framing", ours=True)
def _(bench: Bench) -> None:
    """What the client sends before the 101 does not pass before the 101."""
    early = frame(1, b"early", masked=True)
    asked = bench.send(upgrade(bench).raw + early)
    asked.upstream.expect_silence(0.2)
    asked.upstream.send(SWITCH.head)
    equal("status", asked.client.read_head("a 101").status, 101)
    equal("frame at the upstream", asked.upstream.read(len(early)), early)


@probe("websocket.large-frames", "F36, F37", deadline_s=60)
def _(bench: Bench) -> None:
    """Frames of 32 MB pass, one each way."""
    asked = spliced(bench)
    large = frame(2, noise(32 << 20), masked=False)
    for sender, reader in ((asked.client, asked.upstream), (asked.upstream, asked.client)):
        bench.background(lambda sender=sender: sender.send(large))  # type: ignore[misc]
        found = hashlib.sha256(reader.read(len(large))).hexdigest()
        equal("SHA-256 of the frame", found, hashlib.sha256(large).hexdigest())


@probe("websocket.close-handshake", "F37")
def _(bench: Bench) -> None:
    """Close frames pass with code and reason, then both ends end."""
    asked = spliced(bench)
    farewell = frame(8, (1009).to_bytes(2) + b"message too big", masked=False)
    asked.upstream.send(farewell)
    equal("close frame", asked.client.read(len(farewell)), farewell)
    echo = frame(8, (1009).to_bytes(2), masked=True)
    asked.client.send(echo)
    equal("close frame back", asked.upstream.read(len(echo)), echo)
    asked.upstream.close()
    true("the connection ends by FIN", not asked.client.expect_end().was_reset)


@probe("websocket.last-bytes", "F37")
def _(bench: Bench) -> None:
    """What the upstream sends right before it closes arrives."""
    asked = spliced(bench)
    last = frame(2, noise(200_000), masked=False)
    asked.upstream.send(last)
    asked.upstream.close()
    equal("last frame", asked.client.read(len(last)), last)
    asked.client.expect_end()


@probe("websocket.last-client-bytes", "F37")
def _(bench: Bench) -> None:
    """What the client sends right before it closes arrives."""
    asked = spliced(bench)
    last = frame(2, noise(200_000), masked=False)
    asked.client.send(last)
    asked.client.close()
    equal("last frame", asked.upstream.read(len(last)), last)
    asked.upstream.expect_end()


@probe("websocket.browser-lines", "F39")
def _(bench: Bench) -> None:
    """`Connection: keep-alive, Upgrade` and `Upgrade: WebSocket`, as browsers spell them, are an upgrade too."""
    lines = (*UPGRADE_LINES[:8], b"Connection: keep-alive, Upgrade", b"Upgrade: WebSocket", *UPGRADE_LINES[10:])
    asked = bench.send(bench.request(method=b"GET", lines=lines, body=None))
    asked.upstream.send(SWITCH.head)
    equal("status", asked.client.read_head("a 101").status, 101)
    asked.client.send(b"both")
    equal("bytes at the upstream", asked.upstream.read(4), b"both")


@probe("websocket.client-gone", "F42")
def _(bench: Bench) -> None:
    """A client that goes takes the upstream connection along."""
    asked = spliced(bench)
    asked.client.abort()
    asked.upstream.expect_end()


@probe("websocket.back-pressure", "F35, F36", deadline_s=60)
def _(bench: Bench) -> None:
    """A client that does not read stops the upstream here too."""
    asked = spliced(bench)
    most = 48 << 20
    sent = asked.upstream.send_until_stuck(bytes(1 << 20), most=most + 1)
    true(f"the upstream could send {sent} bytes that nobody read, expected at most {most}", sent <= most)


def declined_probe(status: bytes) -> None:
    def work(bench: Bench) -> None:
        asked = bench.send(upgrade(bench))
        answer = response(b"HTTP/1.1 " + status, b"X-Reason: no", body=b'{"type":"error"}')
        found = bench.answer(asked, answer)
        equal("answer", (found.start, found.body), (answer.start, answer.body))
        following = bench.ask(client=asked.client)
        equal("the next answer's body", bench.answer(following).body, OK.body)

    code = status[:3].decode()
    sentence = f"An upgrade answered {status.decode()} is an answer like any other, and the connection goes on"
    SECTION.add(f"websocket.declined-{code}", "F39, design §4 Framing", sentence, work)


for _status in (b"404 Not Found", b"426 Upgrade Required", b"200 OK"):
    declined_probe(_status)


def unmatched_probe(name: str, sentence: str, switch: bytes) -> None:
    def work(bench: Bench) -> None:
        asked = bench.send(upgrade(bench))
        asked.upstream.send(switch + b"SPLICED")
        raw = asked.client.read_to_end().data
        true(f"the client got {short(raw)}", b"SPLICED" not in raw)
        equal("status", answer_of(raw).head.status, 502)

    full = f"{sentence}: not spliced, 502"
    SECTION.add(f"websocket.{name}", "design §4 Framing", full, work, ours=True)


for _unmatched in (
    ("101-without-upgrade", "A 101 without Upgrade", SWITCH.head.replace(b"Upgrade: websocket\r\n", b"")),
    ("101-to-another", "A 101 to another protocol", SWITCH.head.replace(b"Upgrade: websocket", b"Upgrade: h2c")),
):
    unmatched_probe(*_unmatched)


def other_upgrade_probe(name: str, sentence: str, method: bytes, protocol: bytes) -> None:
    def work(bench: Bench) -> None:
        lines = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: " + protocol, b"HTTP2-Settings: AAMAAABkAAQAoAAA")
        try:
            asked = bench.send(bench.request(method=method, lines=lines, body=None))
        except RefusedError:
            return
        equal("upgrade lines at the upstream", only(asked.head.lines, "upgrade", "http2-settings"), ())
        asked.upstream.send(b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ")
        asked.upstream.send(protocol + HEAD_END + b"SPLICED")
        raw = asked.client.read_to_end().data
        true(f"spliced: the client got {short(raw)}", b"SPLICED" not in raw)

    full = f"{sentence} never comes about: refused, or the request goes on without it"
    SECTION.add(f"websocket.{name}", "design §4 Framing", full, work)


for _other in (
    ("post", "An upgrade by POST", b"POST", b"websocket"),
    ("h2c", "An upgrade to h2c", b"GET", b"h2c"),
    ("unknown", "An upgrade to an unknown protocol", b"GET", b"x-something"),
    ("list", "An upgrade to one of two protocols", b"GET", b"websocket, h2c"),
):
    other_upgrade_probe(*_other)
