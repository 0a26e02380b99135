"""Who is let through, and what strangers leave behind."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from tests.support.relay import Listener, Running, relay

TOKEN = b"canary-token"
DIGEST = hashlib.sha256(TOKEN).hexdigest()
TAG = b"canary-run-tag"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


def ask(running: Running, upstream: Listener, *lines: bytes, target: bytes = b"/x") -> bytes:
    """The request as it arrives upstream, or the refusal."""
    client = running.connect()
    client.send(b"\r\n".join([b"GET " + target + b" HTTP/1.1", b"Host: a", *lines, b"", b""]))
    if upstream.nobody_comes(0.1):
        return client.rest()
    return b"passed"


@pytest.mark.parametrize(
    ("lines", "target", "answer"),
    [
        ((), b"/x", b"x-compaction-gate-error: token\r\n"),
        ((b"x-compaction-token: wrong",), b"/x", b"x-compaction-gate-error: token\r\n"),
        ((b"Authorization: Bearer " + TOKEN,), b"/x", b"x-compaction-gate-error: token\r\n"),
        ((b"X-Compaction-Token: " + TOKEN,), b"/x", b"passed"),
        ((b"x-compaction-token: " + TOKEN, b"Origin: https://a"), b"/x", b"passed"),
        ((), b"/run/" + TAG + b"/x", b"passed"),
        ((), b"/run/unknown/x", b"x-compaction-gate-error: unknown_run\r\n"),
        ((), b"/a//x", b"x-compaction-gate-error: token\r\n"),
    ],
)
def test_where_a_token_is_required_a_request_needs_it_or_a_run_of_ours(
    tmp_path: Path, upstream: Listener, lines: tuple[bytes, ...], target: bytes, answer: bytes
) -> None:
    registry = tmp_path / "runs"
    registry.write_text(hashlib.sha256(TAG).hexdigest())
    with relay(tmp_path, upstream.port, token_sha256=DIGEST, run_tags=registry) as running:
        told = ask(running, upstream, *lines, target=target)
        assert answer in told
        assert b"canary" not in told


def test_a_web_page_is_refused_and_leaves_nothing_but_a_count(running: Running, upstream: Listener) -> None:
    told = ask(running, upstream, b"Origin: https://canary.example")
    assert told.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"x-compaction-gate-error: origin\r\n" in told
    assert running.value("compaction_relay_own_errors_total", kind="origin") == 1
    assert b"canary" not in running.written()


def test_a_stranger_with_a_run_nobody_issued_is_not_recorded(tmp_path: Path, upstream: Listener) -> None:
    with relay(tmp_path, upstream.port, token_sha256=DIGEST) as running:
        assert b"unknown_run" in ask(running, upstream, target=b"/run/guess/x")
        assert running.value("compaction_relay_in_flight") == 0
        assert b"/run/" not in running.written()


def test_a_connection_list_that_names_a_credential_is_refused(running: Running, upstream: Listener) -> None:
    told = ask(running, upstream, b"x-api-key: canary-1", b"Connection: x-api-key")
    assert told.startswith(b"HTTP/1.1 400 Bad Request\r\n")


def test_no_head_secret_of_any_route_is_written_down(tmp_path: Path, upstream: Listener) -> None:
    registry = tmp_path / "runs"
    registry.write_text(hashlib.sha256(TAG).hexdigest())
    folder = tmp_path / "relay"
    folder.mkdir()
    with relay(folder, upstream.port, token_sha256=DIGEST, run_tags=registry) as running:
        client = running.connect()
        client.send(
            b"POST /run/" + TAG + b"/a/x?key=canary-k&%74oken=canary-t HTTP/1.1\r\nHost: a\r\nx-api-key: canary-a\r\n"
            b"AUTHORIZATION: Bearer canary-b\r\nX-Unheard-Of-Token: canary-c\r\nX-Note: sk-ant-canary0123\r\n"
            b"Cookie: c=canary-d\r\nx-compaction-token: " + TOKEN + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2;canary-e\r\nhi\r\n0\r\nX-Trailer-Secret: canary-f\r\n\r\n"
        )
        provider = upstream.accept()
        asked = provider.until(b"canary-f\r\n\r\n")
        assert b"X-Unheard-Of-Token: canary-c\r\n" in asked
        assert TOKEN not in asked
        provider.send(OK.replace(b"Content", b"Set-Cookie: s=canary-g\r\nLocation: /x?sig=canary-h\r\nContent"))
        client.message()
        for refused in (b"GET /run/canary-forged/x?key=canary-i HTTP/1.1", b"BAD canary-j HTTP/1.1"):
            stranger = running.connect()
            stranger.send(refused + b"\r\nHost: a\r\nx-api-key: canary-l\r\nx-compaction-token: " + TOKEN + b"\r\n\r\n")
            assert b"canary" not in stranger.rest()
        assert len(running.journalled(2)) == 2
        written = running.written()
        assert b"X-Unheard-Of-Token" in written
        assert b"canary" not in written
        assert hashlib.sha256(TAG).hexdigest()[:32].encode() in written
