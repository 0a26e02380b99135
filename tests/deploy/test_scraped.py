"""A real Prometheus scrapes a running `serve`, loads the shipped rules, and is asked every query of the dashboard."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from deploy.grafana.fleet import expressions
from proxy.demo import project, task
from proxy.demo.agent import Agent, Limits
from proxy.demo.stage import MODEL
from proxy.demo.tools import Toolbox
from proxy.scripted.app import serving
from proxy.scripted.provider import Provider
from proxy.scripted.settings import ProviderSettings
from tests.support.service import PATIENCE_S, ROOT, Service, a_service, environment_of

pytestmark = pytest.mark.skipif(
    shutil.which("prometheus") is None, reason="prometheus is not installed (apt-get install prometheus)"
)
CONTEXT_TOKENS = 22_000
"""Small enough for more than one compaction."""
LOOPING = "CompactionRereadLoop"
RISEN = (
    'compaction_looping_sessions{client="demo", label_agent="demo"} > 0',
    'increase(compaction_bill_usd_total{part="summary", label_agent="demo"}[1m]) > 0',
    'increase(compaction_reread_calls_total{class="reacquisition"}[1m]) > 0',
    'increase(compaction_retrievals_total{phase="after", class="subset"}[1m]) > 0',
    "increase(compaction_turns_between_boundaries_count[1m]) > 0",
)
"""What the second session must have raised."""
SETTINGS = {
    "COMPACTION_GATE_SESSIONS_LOOP_SAME_OBSERVATION": "1",
    "COMPACTION_GATE_SESSIONS_LOOP_TURNS": "1000",
    "COMPACTION_GATE_SESSIONS_LOOP_IDLE_S": "3",
    "COMPACTION_GATE_LABELS_AGENT": "client",
}
SCRAPED = """\
global: {{scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 500ms}}
rule_files: [{rules}]
scrape_configs: [{{job_name: compaction-gate, static_configs: [{{targets: ["{target}"]}}]}}]
"""


class Prometheus:
    """A running one."""

    def __init__(self, url: str) -> None:
        self.url = url

    def query(self, expression: str) -> list[dict[str, Any]]:
        asked = urllib.parse.urlencode({"query": expression})
        with urllib.request.urlopen(f"{self.url}/api/v1/query?{asked}", timeout=PATIENCE_S) as response:
            found: list[dict[str, Any]] = json.load(response)["data"]["result"]
            return found

    def firing(self) -> set[str]:
        with urllib.request.urlopen(f"{self.url}/api/v1/alerts", timeout=PATIENCE_S) as response:
            alerts = json.load(response)["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}

    def is_ready(self) -> bool:
        try:
            return self.query("vector(1)") != []
        except OSError:
            return False


def shortened(rules: str) -> str:
    """The shipped rules, but for the times they wait; the edit is printed."""
    edited = re.sub(r"for: \d+m", "for: 1s", rules)
    for before, after in zip(rules.splitlines(), edited.splitlines(), strict=True):
        if before != after:
            print(f"rules.yml: {before.strip()} -> {after.strip()}")
    return edited


@contextmanager
def a_prometheus(folder: Path, admin: str) -> Iterator[Prometheus]:
    folder.mkdir()
    (folder / "rules.yml").write_text(shortened((ROOT / "deploy/prometheus/rules.yml").read_text()))
    (folder / "prometheus.yml").write_text(SCRAPED.format(rules=folder / "rules.yml", target=admin[7:]))
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"127.0.0.1:{free.getsockname()[1]}"
    command = [
        "prometheus", f"--config.file={folder / 'prometheus.yml'}", f"--storage.tsdb.path={folder / 'data'}",
        f"--web.listen-address={address}", "--log.level=error",
    ]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Prometheus(f"http://{address}")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)


async def until(
    is_so: Callable[[], bool], meanwhile: Callable[[], Awaitable[object]] | None = None, *, left: Sequence[str] = ()
) -> None:
    """Wait for something that must become true; what must go on until then is done again and again."""
    ends = time.monotonic() + PATIENCE_S
    while not await asyncio.to_thread(is_so):
        assert time.monotonic() < ends, f"it never became true: {left}"
        await (meanwhile() if meanwhile else asyncio.sleep(0.1))


@asynccontextmanager
async def an_agent(service: Service, folder: Path, session: str) -> AsyncIterator[Agent]:
    project.lay_out(folder)
    tools = Toolbox(folder, {"check_timeout": project.check_timeout})
    limits = Limits(context_tokens=CONTEXT_TOKENS)
    async with Agent(service.relay, session, MODEL, task.SYSTEM, tools, limits) as agent:
        yield agent


def as_asked(expression: str) -> str:
    """What Grafana makes of an expression when nothing is filtered."""
    filled = re.sub(r'"\$(environment|client|model)"', '".*"', expression)
    return filled.replace("$__rate_interval", "1m").replace("$__range", "1m")


async def test_the_reread_alert_fires_and_clears_and_every_panel_has_data(tmp_path: Path) -> None:
    provider = Provider(ProviderSettings(scripts=(task.SCRIPT,), habits=task.HABITS, deterministic=True))
    async with serving(provider) as url:
        with (
            a_service(tmp_path / "data", environment_of(url, **SETTINGS)) as service,
            a_prometheus(tmp_path / "prometheus", service.admin) as prometheus,
        ):
            await until(prometheus.is_ready)
            await until(lambda: prometheus.query("compaction_exchanges_total") != [])
            assert prometheus.firing() == set()
            async with an_agent(service, tmp_path / "first", "first") as agent:
                await agent.work(task.PROMPT)
            await until(lambda: prometheus.query('compaction_sessions_total{client="demo"} > 0') != [])
            async with an_agent(service, tmp_path / "second", "second") as agent:
                await agent.work(task.PROMPT)
                assert agent.compactions > 1
                # The session goes on until everything was seen, however long Prometheus takes for it.
                unanswered: list[str] = []

                def is_answered() -> bool:
                    asked = [*map(as_asked, expressions()), *RISEN]
                    unanswered[:] = [one for one in asked if prometheus.query(one) == []]
                    return not unanswered

                await until(lambda: LOOPING in prometheus.firing(), meanwhile=lambda: agent._ask(agent.messages))
                await until(is_answered, meanwhile=lambda: agent._ask(agent.messages), left=unanswered)
            await until(lambda: prometheus.firing() == set())
