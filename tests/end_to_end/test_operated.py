"""A served session as its operator sees it: labels on metrics, spans at a collector, log lines as the schema says."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.support.collector import Taken, a_collector, values
from tests.support.service import (
    ROOT,
    Upstream,
    a_message,
    a_service,
    an_upstream,
    ask,
    environment_of,
    typed,
    until,
)

KEY = "sk-ant-canary-key-77d3a1f0c4e2"
SAID = "canary-said-3b9d42e6a1"
TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "string": (str,), "number": (int, float), "boolean": (bool,), "null": (type(None),),
}  # fmt: skip


class Operated(NamedTuple):
    """What was left when the service had ended."""

    upstream: Upstream
    taken: Taken
    metrics: str
    log: str
    data: Path


@pytest.fixture(scope="module")
def operated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operated]:
    data = tmp_path_factory.mktemp("operated") / "data"
    with an_upstream() as upstream, a_collector() as taken:
        own = {
            "COMPACTION_GATE_LABELS_TEAM": "header:x-compaction-team",
            "COMPACTION_GATE_LABELS_AGENT": "client",
            "COMPACTION_GATE_EXPORT_OTLP_ENDPOINT": taken.url,
            "COMPACTION_GATE_SESSIONS_LOOP_IDLE_S": "1",
            "COMPACTION_GATE_ENVIRONMENT": "staging",
        }
        with a_service(data, environment_of(upstream.url, **own)) as service:
            message = a_message()
            message["messages"] = [{"role": "user", "content": f"{SAID} {KEY}"}]
            headers = {"x-api-key": KEY, "x-compaction-team": "platform"}
            assert ask(service.relay, body=message, more=headers)[0] == 200
            assert ask(service.relay, "/nowhere/v1/x", body={}, more={"origin": KEY})[0] >= 400
            until(lambda: len(taken.spans) >= 2)
            metrics = ask(service.admin, "/metrics")[1]
            assert service.end(signal.SIGTERM) == 0
            assert service.process.stderr is not None
            yield Operated(upstream, taken, metrics, service.process.stderr.read(), data)


def test_a_label_stands_on_the_metrics_of_sessions_and_never_reaches_the_provider(operated: Operated) -> None:
    labels = 'client="claude-code",environment="staging",label_agent="claude-code",label_team="platform"'
    assert f"compaction_sessions_total{{{labels}}} 1.0" in operated.metrics
    assert not [name for told in operated.upstream.headers for name in told if name.startswith("x-compaction-")]


def test_a_session_arrives_at_the_collector_with_the_names_of_the_conventions(operated: Operated) -> None:
    turn, session = sorted(operated.taken.spans, key=lambda span: span.name)[:2]
    assert (turn.name, session.name) == ("chat claude-sonnet-4-5", "invoke_agent claude-code")
    assert turn.trace_id == session.trace_id
    assert turn.parent_span_id == session.span_id
    told = values(turn.attributes)
    assert (told["gen_ai.operation.name"], told["gen_ai.provider.name"]) == ("chat", "anthropic")
    assert (told["gen_ai.usage.input_tokens"], told["gen_ai.usage.output_tokens"]) == (10, 2)
    assert told["server.address"] == "127.0.0.1"
    assert values(session.attributes)["compaction.label.team"] == "platform"
    assert operated.taken.resource()["service.name"] == "compaction-gate"
    assert 'compaction_process_up{environment="staging",process="export"} 1.0' in operated.metrics


def test_every_log_line_is_as_the_schema_says(operated: Operated) -> None:
    page = (ROOT / "docs/logs.md").read_text()
    schema = next(block for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL) if "$schema" in block)
    lines = [json.loads(line) for line in operated.log.splitlines()]
    assert [wrong for line in lines for wrong in faults(line, json.loads(schema))] == []
    started = [line for line in lines if line["event"] == "{process} {pid} has started"]
    assert [line["fields"]["process"] for line in started] == ["observer", "export"]
    assert {line["component"] for line in lines} >= {"supervisor"}


def test_what_was_said_and_the_key_are_in_no_line_span_or_metric(operated: Operated) -> None:
    for secret in (KEY, SAID):
        assert secret not in operated.log
        assert secret not in operated.metrics
        assert not [body for body in operated.taken.bodies if secret.encode() in body]
        assert not [name for name in ("export.json", "label_values.json", "counters.json", "export.spec.json")
                    if secret in (operated.data / name).read_text()]  # fmt: skip


ASKS = """
import json, os, urllib.request
message = {"role": "user", "content": "hi"}
body = json.dumps({"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [message]}).encode()
headers = {"content-type": "application/json", "x-api-key": "k"}
urllib.request.urlopen(urllib.request.Request(os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages", body, headers)).read()
"""


def test_what_a_wrapped_command_did_is_exported_before_wrap_ends(tmp_path: Path) -> None:
    with an_upstream() as upstream, a_collector() as taken:
        environment = environment_of(upstream.url, COMPACTION_GATE_EXPORT_OTLP_ENDPOINT=taken.url)
        done = typed(tmp_path / "data", environment, "wrap", "--quiet", "--", sys.executable, "-c", ASKS)
        assert (done.returncode, done.stderr) == (0, "")
        assert [span.name for span in taken.spans] == ["chat claude-sonnet-4-5"]


def faults(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    """What of a value is not as the schema says; the words that docs/logs.md uses."""
    allowed = schema.get("type", [])
    kinds = [kind for name in ([allowed] if isinstance(allowed, str) else allowed) for kind in TYPES[name]]
    if kinds and not isinstance(value, tuple(kinds)):
        yield f"{value!r} is no {allowed}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{value!r} is none of {schema['enum']}"
    if "pattern" in schema and not re.search(schema["pattern"], value):
        yield f"{value!r} does not look like {schema['pattern']}"
    if isinstance(value, dict):
        yield from (f"{name} is missing" for name in schema.get("required", []) if name not in value)
        for name, one in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            yield from faults(one, inner) if inner is not False else [f"{name} is unknown"]


def test_the_schema_is_one_that_finds_faults() -> None:
    schema = {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x"]}}, "additionalProperties": False}
    assert list(faults({"a": "x"}, schema)) == []
    assert len(list(faults({"b": 1}, schema))) == 2
    assert list(faults({"a": "y"}, schema)) == ["'y' is none of ['x']"]
