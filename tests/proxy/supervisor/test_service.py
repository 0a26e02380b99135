from __future__ import annotations

import http.client
import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy.supervisor.running import Running, read_running
from tests.support.service import (
    Service,
    Upstream,
    a_message,
    a_service,
    accepts,
    an_upstream,
    ask,
    environment_of,
    typed,
    until,
)

PUBLIC = {"fb374d419588a4632f3f557e76b4b70aebbca790", "consumed"}
"""The tokenizer's vocabulary; how far the journal was read."""
TOKEN = "a-long-enough-token"
ANYWHERE = ("serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0")


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    with an_upstream() as found:
        yield found


@pytest.fixture(scope="module")
def environment(upstream: Upstream, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    token = tmp_path_factory.mktemp("token") / "token"
    token.write_text(f"{TOKEN}\n")
    own = {"COMPACTION_GATE_ENVIRONMENT": "staging", "COMPACTION_GATE_ADMIN_TOKEN_FILE": str(token)}
    return environment_of(upstream.url, **own)


@pytest.fixture(scope="module")
def service(environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with a_service(tmp_path_factory.mktemp("service") / "data", environment) as found:
        yield found


def running_of(service: Service) -> Running:
    running = read_running(service.data / "running.json")
    assert running is not None
    return running


def scrape(service: Service) -> str:
    return ask(service.admin, "/metrics", token=TOKEN)[1]


def series(service: Service, name: str) -> float:
    return sum(float(line.rpartition(" ")[2]) for line in scrape(service).splitlines() if line.startswith(name))


def test_a_service_relays_observes_and_shows_it_on_one_scrape_target(
    service: Service, environment: dict[str, str]
) -> None:
    assert ask(service.admin, "/healthz") == (200, "ok\n")
    until(lambda: ask(service.admin, "/readyz") == (200, "relay: yes\njournal: yes\n"))
    assert ask(service.relay, body=a_message())[0] == 200
    until(lambda: series(service, "compaction_turns_total") == 1)
    text = scrape(service)
    assert 'compaction_process_up{environment="staging",process="relay"} 1.0' in text
    assert 'compaction_billed_tokens_total{class="output",environment="staging",iteration="message"' in text
    assert "compaction_observer_lag_seconds" in text
    status = typed(service.data, environment, "status")
    assert "seen: 1 exchange, 1 session" in status.stdout
    assert "recording on · lost 0" in status.stdout


def test_the_data_folder_is_for_its_user_alone(service: Service) -> None:
    assert (service.data.stat().st_mode & 0o777) == 0o700
    open_to_others = [path.name for path in service.data.rglob("*") if path.stat().st_mode & 0o077]
    assert [name for name in open_to_others if name not in PUBLIC] == []


def test_a_second_serve_on_the_folder_is_refused_and_says_who_has_it(
    service: Service, environment: dict[str, str]
) -> None:
    second = typed(service.data, environment, *ANYWHERE)
    assert second.returncode == 73
    assert f"another serve (pid {service.process.pid}) uses it" in second.stderr


def test_a_scraper_must_send_the_token_and_probes_need_none(service: Service) -> None:
    assert ask(service.admin, "/healthz")[0] == 200
    assert ask(service.admin, "/metrics")[0] == 401
    assert ask(service.admin, "/metrics", token="wrong")[0] == 401
    assert ask(service.admin, "/metrics", token=TOKEN)[0] == 200


def test_processes_that_die_are_started_again_and_nobody_is_refused(service: Service) -> None:
    first, turns = running_of(service), series(service, "compaction_turns_total")
    assert first.observer is not None
    os.kill(first.observer.pid, signal.SIGKILL)
    os.kill(first.relay.pid, signal.SIGKILL)
    assert ask(service.relay, body=a_message())[0] == 200  # waits in the supervisor's socket
    until(lambda: series(service, "compaction_process_restarts_total") == 2)
    until(lambda: series(service, "compaction_turns_total") == turns + 1)
    assert running_of(service).relay.pid != first.relay.pid


def test_the_relay_goes_on_without_its_supervisor_and_only_a_like_one_takes_it_over(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    with a_service(tmp_path / "data", environment) as service:
        relay = running_of(service).relay
        service.process.kill()
        service.process.wait()
        assert ask(service.relay, body=a_message())[0] == 200
        other = typed(tmp_path / "data", environment | environment_of("http://127.0.0.1:9"), *ANYWHERE)
        assert other.returncode == 73
        assert f"end it with `kill {relay.pid}` (it drains)" in other.stderr
        with a_service(tmp_path / "data", environment) as second:
            assert running_of(second).relay == relay
            assert second.relay == service.relay
            until(lambda: series(second, "compaction_turns_total") == 1)
            assert second.end() == 0
        assert not relay.is_alive()
        assert not (tmp_path / "data/running.json").exists()


def test_one_signal_lets_streams_end_while_nobody_new_is_accepted_and_a_second_one_cuts(
    tmp_path: Path, environment: dict[str, str], upstream: Upstream
) -> None:
    with a_service(tmp_path / "data", environment) as service:
        upstream.seen.clear()
        answers: list[tuple[int, str] | Exception] = []
        first, second = threading.Event(), threading.Event()
        clients = [threading.Thread(target=_client, args=(service, answers)) for _ in range(2)]
        for number, (client, hold) in enumerate(zip(clients, (first, second), strict=True), start=1):
            upstream.hold = hold
            client.start()
            until(lambda number=number: len(upstream.seen) == number)  # type: ignore[misc]
        service.process.send_signal(signal.SIGTERM)
        until(lambda: ask(service.admin, "/readyz")[0] == 503)
        until(lambda: not accepts(service.relay))
        first.set()
        clients[0].join()
        assert isinstance(answers[0], tuple)
        assert (answers[0][0], json.loads(answers[0][1])["id"]) == (200, "msg_1")
        service.process.send_signal(signal.SIGINT)
        assert service.process.wait(30) == 0
        clients[1].join()
        assert isinstance(answers[1], Exception)
        second.set()


def _client(service: Service, answers: list[tuple[int, str] | Exception]) -> None:
    try:
        answers.append(ask(service.relay, body=a_message()))
    except (OSError, http.client.HTTPException) as error:
        answers.append(error)
