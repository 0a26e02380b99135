"""The conformance suite itself: a faithful tunnel passes, planted faults are found, the docs name every probe."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Thread

import pytest

from tests.conformance import report
from tests.conformance.__main__ import EXIT_FAILED, EXIT_UNREACHABLE, EXIT_USAGE, main
from tests.conformance.cases import CASES
from tests.conformance.catalogue import PROBES
from tests.conformance.harness import target as targets
from tests.conformance.harness.findings import MismatchError
from tests.conformance.harness.messages import Head
from tests.conformance.harness.registry import Outcome, Result
from tests.conformance.harness.target import NGINX_CONF, Target, free_port
from tests.conformance.harness.upstream import Upstream
from tests.conformance.ours.tunnels import listening

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"
Change = Callable[[bytes], bytes]
Serve = Callable[[socket.socket], None]

FAITHFUL = (
    "request.body", "request.target", "request.beta-lines", "request.lines-exact", "request.nothing-added",
    "request.method-any-token", "request.chunks", "request.trailers", "request.expect-continue",
    "request.byte-by-byte", "response.lines-exact", "response.status-429", "response.reason-empty",
    "response.sse-gzip", "response.sse-br", "response.chunks", "response.trailers", "response.interim",
    "response.head-length", "response.304-length", "response.close-delimited", "response.zero-bytes",
    "response.tiny-chunks", "stream.order", "stream.half-chunk", "stream.upload", "stream.duplex",
    "stream.cut-chunked", "stream.terminal-event", "connection.keep-alive", "connection.pipelining",
    "connection.no-retry", "connection.client-gone-streaming", "connection.interleaved", "websocket.splice",
    "websocket.close-handshake", "websocket.declined-426",
)  # fmt: skip
"""What a tunnel that changes nothing must pass; whatever fails here is the suite's own fault."""


@pytest.fixture
def upstream() -> Iterator[Upstream]:
    made = Upstream()
    yield made
    made.close()


def same(data: bytes) -> bytes:
    return data


def tunnel(port: int, *, up: Change = same, down: Change = same, at_end: bytes = b"") -> Serve:
    """Hands bytes on both ways, changed; says `at_end` to the client when the upstream has ended."""

    def serve(client: socket.socket) -> None:
        with socket.create_connection(("127.0.0.1", port)) as upstream:
            back = Thread(target=hand_on, args=(upstream, client, down, at_end))
            back.start()
            hand_on(client, upstream, up)
            back.join()

    return serve


def hand_on(source: socket.socket, sink: socket.socket, change: Change, at_end: bytes = b"") -> None:
    with suppress(OSError):
        while piece := source.recv(1 << 16):
            sink.sendall(change(piece))
    with suppress(OSError):
        sink.sendall(at_end)
    with suppress(OSError):
        sink.shutdown(socket.SHUT_RDWR)


def holding(port: int) -> Serve:
    """Passes the answer on only when it has ended, as proxies do that buffer."""

    def serve(client: socket.socket) -> None:
        held = b""
        with socket.create_connection(("127.0.0.1", port)) as upstream:
            upstream.sendall(client.recv(1 << 16))
            with suppress(OSError):
                while piece := upstream.recv(1 << 16):
                    held += piece
        client.sendall(held)

    return serve


def repeating(port: int) -> Serve:
    """Sends the request again when it was not answered."""

    def serve(client: socket.socket) -> None:
        request = client.recv(1 << 16)
        for _ in range(2):
            with socket.create_connection(("127.0.0.1", port)) as upstream:
                upstream.sendall(request)
                upstream.settimeout(1.0)
                with suppress(TimeoutError):
                    if answer := upstream.recv(1 << 16):
                        client.sendall(answer)
                        return

    return serve


def lower_names(data: bytes) -> bytes:
    return re.sub(rb"(?<=\r\n)[A-Za-z-]+(?=:)", lambda match: match[0].lower(), data)


def one_beta_line(data: bytes) -> bytes:
    return data.replace(b"anthropic-beta: interleaved-thinking-2025-05-14\r\n", b"")


FAULTS: dict[str, tuple[Callable[[int], Serve], str]] = {
    "a repeated line lost": (lambda port: tunnel(port, up=one_beta_line), "request.beta-lines"),
    "names in lower case": (lambda port: tunnel(port, up=lower_names), "request.names-case"),
    "a line added": (
        lambda port: tunnel(port, up=lambda data: data.replace(b"\r\n", b"\r\nVia: 1.1 x\r\n", 1)),
        "request.nothing-added",
    ),
    "the body written anew": (
        lambda port: tunnel(port, up=lambda data: data.replace(b'{ "model":', b'{  "model":').replace(b" ,", b",")),
        "request.body",
    ),
    "the query lost": (lambda port: tunnel(port, up=lambda data: data.replace(b"?beta=true", b"")), "request.target"),
    "answer's names in lower case": (lambda port: tunnel(port, down=lower_names), "response.lines-exact"),
    "retry-after lost": (
        lambda port: tunnel(port, down=lambda data: data.replace(b"retry-after: 17\r\n", b"")),
        "response.status-429",
    ),
    "trailers lost": (
        lambda port: tunnel(port, down=lambda data: data.replace(b"X-Checksum: abc\r\n", b"")),
        "response.trailers",
    ),
    "the stream held": (holding, "stream.first-piece"),
    "a cut made good": (lambda port: tunnel(port, at_end=b"0\r\n\r\n"), "stream.cut-chunked"),
    "a cut that looks like an end": (tunnel, "stream.cut-close-delimited"),
    "the request sent twice": (repeating, "connection.no-retry"),
    "hop-by-hop lines passed on": (tunnel, "request.hop-by-hop"),
    "two lengths passed on": (tunnel, "framing.length-two"),
    "a bad chunk size passed on": (tunnel, "framing.chunk-size-letters"),
    "two lengths passed back": (tunnel, "framing.answer-length-two"),
    "an answer split": (tunnel, "framing.surplus-length"),
    "an upgrade nobody may have": (tunnel, "websocket.h2c"),
}
"""Fault: who commits it, and the probe that must find it."""


def run(name: str, serve: Serve, upstream: Upstream, deadline_s: float) -> Result:
    probe = next(each for each in PROBES if each.id == name)
    with listening(serve) as port:
        return replace(probe, deadline_s=deadline_s).run(Target("tunnel", "127.0.0.1", port), upstream)


@pytest.mark.parametrize("name", FAITHFUL)
def test_a_faithful_tunnel_passes(name: str, upstream: Upstream) -> None:
    result = run(name, tunnel(upstream.port), upstream, 10.0)
    assert (result.outcome, result.detail) == (Outcome.PASS, "")


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str, upstream: Upstream) -> None:
    make, name = FAULTS[fault]
    result = run(name, make(upstream.port), upstream, 1.0)
    assert result.outcome is Outcome.FAIL
    assert result.detail


def test_a_refusal_of_another_proxy_is_unsupported_and_of_ours_a_failure(upstream: Upstream) -> None:
    def refuse(client: socket.socket) -> None:
        client.recv(1 << 16)
        client.sendall(b"HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")

    probe = next(each for each in PROBES if each.id == "request.method-propfind")
    with listening(refuse) as port:
        target = Target("refusing", "127.0.0.1", port)
        assert probe.run(target, upstream).outcome is Outcome.UNSUPPORTED
        assert probe.run(replace(target, is_ours=True), upstream).outcome is Outcome.FAIL


def test_a_target_that_is_gone_is_a_finding_not_a_crash(upstream: Upstream) -> None:
    result = PROBES[0].run(Target("gone", "127.0.0.1", free_port()), upstream)
    assert result.outcome is Outcome.FAIL
    assert "no connection to the target" in result.detail


def test_the_exit_code_says_whether_all_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port, file = free_port(), tmp_path / "deep" / "run.json"
    with listening(tunnel(port)) as where:
        common = ["--target", f"http://127.0.0.1:{where}", "--upstream-port", str(port), "--json", str(file), "--only"]
        assert main([*common, "request.body", "address.run", "stream.trickle"]) == 0
        rows = json.loads(file.read_text())["results"]
        assert {row["outcome"] for row in rows if row["id"] == "request.body"} == {"pass"}
        assert {row["outcome"] for row in rows if row["profile"] == "addressing"} == {"skipped"}
        assert main([*common, "request.hop-by-hop"]) == EXIT_FAILED
    assert "expected ()" in capsys.readouterr().out


def test_a_path_in_the_target_is_put_before_every_request(upstream: Upstream) -> None:
    probe = next(each for each in PROBES if each.id == "request.target")
    with listening(tunnel(upstream.port)) as port:
        target = Target("with path", "127.0.0.1", port, base_path=b"/gateway")
        assert probe.run(target, upstream).outcome is Outcome.PASS


def test_bad_command_lines_and_missing_targets_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(targets, "START_S", 0.1)
    assert main(["--only", "no.such.probe"]) == EXIT_USAGE
    assert main(["--target", f"http://127.0.0.1:{free_port()}"]) == EXIT_UNREACHABLE
    assert main(["--target", "https://127.0.0.1:1"]) == EXIT_UNREACHABLE
    assert "no.such.probe" in capsys.readouterr().err
    assert main(["--list", "--only", "websocket"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == sum(probe.profile == "websocket" for probe in PROBES)


def test_tables_of_two_runs_stand_side_by_side(tmp_path: Path) -> None:
    probes = [probe for probe in PROBES if probe.id in {"request.body", "websocket.splice"}]
    ours = report.run_of("ours", [Result(probe, Outcome.PASS) for probe in probes], 1.0)
    theirs = report.run_of("theirs", [Result(probe, Outcome.FAIL, "found x") for probe in probes], 1.0)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{report.BEGIN}\nSTALE\n{report.END}\nafter\n")
    report.write_into(page, report.markdown([ours, theirs]))
    text = page.read_text()
    assert "| pass | **fail** |" in text
    assert "STALE" not in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")


def test_a_long_difference_is_shown_where_it_is() -> None:
    text = str(MismatchError("body", b"x" * 5000 + b"a", b"x" * 5000 + b"b"))
    assert "[4960]" in text
    assert len(text) < 400


def test_heads_are_cut_without_being_normalised() -> None:
    head = Head(b"GET /a b HTTP/1.1\r\nX-A:  1 \r\nx-a:2\r\n\r\n")
    assert head.lines == (b"X-A:  1 ", b"x-a:2")
    assert head.values("X-A") == (b"1", b"2")
    assert head.target == b"/a b"


def test_every_probe_has_an_id_a_sentence_and_a_reference() -> None:
    ids = [probe.id for probe in PROBES]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[a-z]+\.[a-z0-9-]+", each) for each in ids)
    assert all(probe.sentence and probe.reference for probe in PROBES)


def test_every_failure_case_of_the_live_path_has_a_probe() -> None:
    referred = {each for probe in PROBES for each in probe.reference.split(", ") if re.fullmatch(r"F\d+", each)}
    assert referred == {case.number for case in CASES}


def test_the_docs_name_every_probe_and_show_the_settings_of_nginx() -> None:
    page = PAGE.read_text()
    assert [probe.id for probe in PROBES if f"`{probe.id}`" not in page] == []
    assert NGINX_CONF.format(folder="FOLDER", port="PORT", upstream="UPSTREAM") in page
