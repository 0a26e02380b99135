"""Profile `secrets`: after traffic full of canaries nothing our relay wrote or said holds one."""

from __future__ import annotations

import stat
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from tests.conformance.harness.bench import Bench
from tests.conformance.harness.client import AGENT_LINES
from tests.conformance.harness.findings import EndedError, RefusedError, equal, true
from tests.conformance.harness.messages import STREAM_HEAD, response
from tests.conformance.harness.registry import Section
from tests.conformance.harness.target import stop
from tests.conformance.ours.relay import RUN, OwnRelay, running, usual
from tests.conformance.probes.websocket import KEY, SWITCH

SECTION = Section("secrets", is_ours=True)
probe = SECTION.probe

CANARY = b"canary-2b91d4e7"
MARKER = b"marker-of-a-recorded-body"
"""Stands in every body: a journal without it would prove nothing."""

NAMES = (
    "Authorization",
    "Proxy-Authorization",
    "x-api-key",
    "API-Key",
    "x-goog-api-key",
    "X-Amz-Security-Token",
    "Ocp-Apim-Subscription-Key",
    "Cookie",
    "x-compaction-token",
    "Sec-WebSocket-Protocol",
    "X-My-Company-Auth",
    "X-Service-Token",
    "x-client-secret",
    "X-Session-Key",
    "X-DB-Password",
    "x-user-credentials",
)
QUERIES = (b"key", b"api_key", b"api-key", b"apikey", b"access_token", b"token", b"client_secret", b"sig", b"code")


def start(bench: Bench) -> OwnRelay:
    """A relay whose folder is searched afterwards."""
    relay = bench.enter(running(usual(bench.upstream.port)))
    bench.target = relay.target
    return relay


def check_clean(relay: OwnRelay, *canaries: bytes, is_recorded: bool = True) -> None:
    """Stop the relay, so that everything is written, and look for the canaries in every file and name."""
    stop(relay.process)
    files = [path for path in relay.folder.rglob("*") if path.is_file() and path.name not in {"spec.json", "runs"}]
    written = {path: path.read_bytes() for path in files}
    if is_recorded:
        true("the journal holds the bodies", any(MARKER in content for content in written.values()))
    for path, content in written.items():
        for canary in canaries:
            at = content.find(canary)
            true(f"{path.name} holds {canary!r}: {content[max(0, at - 60) : at + 40]!r}", at < 0)


def send(bench: Bench, *, lines: Sequence[bytes] = (), target: bytes = b"/v1/messages") -> None:
    """A request with these lines; answered when it reaches the upstream."""
    message = bench.request(lines=(*AGENT_LINES[:6], *lines), target=target, body=b'{"m": "' + MARKER + b'"}')
    with suppress(RefusedError):
        bench.exchange(message)


@probe("secret.request-headers", "F105, F107, design §4 Secrets")
def _(bench: Bench) -> None:
    """Credential headers, known ones and names nobody has heard of, are not written down."""
    relay = start(bench)
    for name in NAMES:
        send(bench, lines=(name.encode() + b": Bearer " + CANARY,))
        send(bench, lines=(name.upper().encode() + b":" + CANARY,))
    check_clean(relay, CANARY)


@probe("secret.query", "F106, design §4 Secrets")
def _(bench: Bench) -> None:
    """Credentials in the query are not written down, whatever their name's spelling."""
    relay = start(bench)
    for name in QUERIES:
        send(bench, target=b"/v1/x?a=1&" + name + b"=" + CANARY + b"&b=2")
        send(bench, target=b"/v1/x?" + name.upper() + b"=" + CANARY)
    send(bench, target=b"/v1/x?%6bey=" + CANARY)
    check_clean(relay, CANARY)


@probe("secret.shapes", "design §4 Secrets")
def _(bench: Bench) -> None:
    """A key of well-known shape in a header or query of harmless name is not written down."""
    relay = start(bench)
    keys = (b"sk-ant-api03-" + CANARY, b"AIzaSyA-" + CANARY * 2, b"ghp_" + b"A1b2C3d4E5f6G7h8I9j0K1l2M3n4")
    for key in keys:
        send(bench, lines=(b"X-Note: " + key,), target=b"/v1/x?note=" + key)
    check_clean(relay, CANARY, keys[-1])


@probe("secret.run-tag", "design §4 Addressing, Secrets")
def _(bench: Bench) -> None:
    """The run tag of a path is not written down."""
    relay = start(bench)
    send(bench, target=b"/run/" + RUN + b"/v1/messages")
    send(bench, target=b"/run/" + CANARY + b"/v1/messages")
    check_clean(relay, RUN, CANARY)


@probe("secret.response-headers", "F105, design §4 Secrets")
def _(bench: Bench) -> None:
    """Cookies and tokens of an answer, its trailers and interim answers are not written down."""
    relay = start(bench)
    asked = bench.ask(bench.request(body=MARKER))
    asked.upstream.send(b"HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=" + CANARY + b"\r\n\r\n")
    asked.client.read_head()
    lines = (b"Set-Cookie: session=" + CANARY, b"X-Refresh-Token: " + CANARY)
    bench.answer(asked, response(b"HTTP/1.1 200 OK", *lines, body=b"{}"))
    asked = bench.ask(bench.request(body=MARKER))
    asked.upstream.send(STREAM_HEAD.head + b"0\r\nSet-Cookie: " + CANARY + b"\r\n\r\n")
    asked.client.read_body(asked.client.read_head())
    check_clean(relay, CANARY)


@probe("secret.request-trailers", "design §4 Secrets")
def _(bench: Bench) -> None:
    """Credentials in a request's trailers or chunk extensions are not written down."""
    relay = start(bench)
    body = b"%x;%s\r\n%s\r\n0\r\nAuthorization: %s\r\n\r\n" % (len(MARKER), CANARY, MARKER, CANARY)
    asked = bench.send(bench.chunked_request(body))
    asked.upstream.read_chunked()
    bench.answer(asked)
    check_clean(relay, CANARY)


@probe("secret.error-paths", "F106, design §4 Secrets")
def _(bench: Bench) -> None:
    """Credentials of requests that are refused or cannot be delivered are not written down."""
    relay = start(bench)
    lines = (b"Authorization: Bearer " + CANARY, b"Cookie: " + CANARY)
    send(bench, lines=lines)
    send(bench, lines=lines, target=b"/dead/v1/x?key=" + CANARY)
    send(bench, lines=lines, target=b"/other/../x?access_token=" + CANARY)
    send(bench, lines=(*lines, b"Origin: https://evil.example"))
    send(bench, lines=(*lines, b"Transfer-Encoding: " + CANARY))
    send(bench, lines=(*lines, b"Content-Length: " + CANARY))
    send(bench, lines=(*lines, CANARY))
    for upstream_says in (b"", CANARY, b"HTTP/1.1 200 OK\r\n" + CANARY + b"\r\n\r\n"):
        asked = bench.ask(bench.request(lines=lines, body=MARKER))
        with suppress(EndedError):
            asked.upstream.send(upstream_says)
        asked.upstream.close()
        asked.client.read_to_end()
    check_clean(relay, CANARY)


@probe("secret.websocket", "F107, design §4 Secrets")
def _(bench: Bench) -> None:
    """The key that browsers' clients put into Sec-WebSocket-Protocol is not written down."""
    relay = start(bench)
    send(bench)
    lines = (b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: " + KEY)
    protocol = b"Sec-WebSocket-Protocol: realtime, openai-insecure-api-key." + CANARY
    asked = bench.send(bench.request(method=b"GET", lines=(*lines, protocol), body=None))
    asked.upstream.send(SWITCH.head)
    equal("status", asked.client.read_head().status, 101)
    asked.upstream.close()
    asked.client.read_to_end()
    check_clean(relay, CANARY)


@probe("secret.modes", "design §4 Secrets")
def _(bench: Bench) -> None:
    """What is written is for its owner alone."""
    relay = start(bench)
    send(bench)
    journal = relay.folder / "journal"
    open_to_others = [
        path.name
        for path in (journal, *journal.rglob("*"), relay.folder / "relay.page")
        if stat.S_IMODE(path.stat().st_mode) & 0o077 and not is_inside_private(path, journal)
    ]
    equal("files others may read", open_to_others, [])


def is_inside_private(path: Path, journal: Path) -> bool:
    """A folder of mode 0700 guards what it holds."""
    return path != journal and journal in path.parents and not stat.S_IMODE(journal.stat().st_mode) & 0o077


@probe("secret.unrecorded", "design §4 Secrets")
def _(bench: Bench) -> None:
    """With recording switched off neither canaries nor bodies are written."""
    relay = bench.enter(running(replace(usual(bench.upstream.port), is_recorded=False)))
    bench.target = relay.target
    send(bench, lines=(b"Authorization: " + CANARY,))
    check_clean(relay, CANARY, MARKER, is_recorded=False)
