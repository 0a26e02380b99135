"""What deploy/ names exists: metrics, commands, anchors, paths, settings."""

from __future__ import annotations

import inspect
import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from config.keys import key_of_variable
from config.load import load
from deploy.grafana.fleet import dashboard, expressions, source
from proxy.metrics.definitions import BY_NAME, METRICS, Kind
from proxy.supervisor.supervisor import DRAIN_MARGIN_S, Plan
from tests.support.typed import type_command

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
RULES = DEPLOY / "prometheus/rules.yml"
OPERATE = ROOT / "docs/operate.md"
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed (apt-get install prometheus)"
)
needs_compose = pytest.mark.skipif(
    shutil.which("docker-compose") is None, reason="docker-compose is not installed (apt-get install docker-compose)"
)
OF_A_HISTOGRAM = re.compile(r"_(bucket|sum|count)$")


def alerts() -> list[dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def named(expression: str) -> set[str]:
    """Metrics that an expression names."""
    names = re.findall(r"\bcompaction_\w+", expression)
    return {name if name in BY_NAME else OF_A_HISTOGRAM.sub("", name) for name in names}


def compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return found


def dockerfile() -> list[str]:
    """Its instructions, each on one line."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    return text.replace("\\\n", " ").splitlines()


def test_every_metric_that_is_named_exists() -> None:
    told = [alert["expr"] for alert in alerts()] + expressions() + list(source()["variables"].values())
    for expression in told:
        assert named(expression) <= set(BY_NAME), expression
        for label in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
            known = {dimension.name for name in named(expression) for dimension in BY_NAME[name].labels}
            assert set(label.replace(" ", "").split(",")) <= known | {"environment", "le"}, expression


def test_values_that_expressions_compare_with_exist() -> None:
    closed: dict[str, set[str]] = {}
    for dimension in (dimension for metric in METRICS for dimension in metric.labels if dimension.values):
        closed.setdefault(dimension.name, set()).update(dimension.values)
    for expression in expressions():
        for label, values in re.findall(r'(\w+)=~?"([^"$]+)"', expression):
            assert set(values.split("|")) <= closed[label], expression


def test_every_metric_that_is_exported_is_documented() -> None:
    page = (ROOT / "docs/metrics.md").read_text()
    assert [metric.name for metric in METRICS if f"| `{metric.name}` |" not in page] == []


def test_rates_are_taken_of_counters_and_histograms_alone() -> None:
    for expression in [*expressions(), *(alert["expr"] for alert in alerts())]:
        for name in re.findall(r"(?:rate|increase)\((\w+)", expression):
            assert BY_NAME[OF_A_HISTOGRAM.sub("", name)].kind is not Kind.GAUGE, expression


def test_each_alert_says_what_to_type_and_where_it_is_written() -> None:
    headings = re.findall(r"^#+ (.*)$", OPERATE.read_text(), flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
    assert [alert["alert"] for alert in alerts()] == ["CompactionRereadLoop", "CompactionRelayFailing"]
    for alert in alerts():
        told = alert["annotations"]
        assert set(told) == {"summary", "run", "runbook_url"}
        page, _, anchor = told["runbook_url"].partition("#")
        assert (ROOT / page, anchor in anchors) == (OPERATE, True)
        program, command, *options = shlex.split(told["run"])
        assert program == "compaction-gate"
        help_text = type_command(command, "--help").out
        assert all(option in help_text for option in options if option.startswith("--"))


@needs_promtool
def test_the_rules_are_rules_that_fire_and_clear() -> None:
    for arguments in (["check", "rules", str(RULES)], ["test", "rules", str(Path(__file__).parent / "rules_test.yml")]):
        done = subprocess.run(["promtool", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


@needs_promtool
def test_prometheus_takes_the_scrape_configuration(tmp_path: Path) -> None:
    (tmp_path / "token").touch()
    (tmp_path / "rules.yml").write_text(RULES.read_text())
    text = (DEPLOY / "prometheus/prometheus.yml").read_text()
    (tmp_path / "prometheus.yml").write_text(text.replace("/run/secrets/admin-token", str(tmp_path / "token")))
    done = subprocess.run(
        ["promtool", "check", "config", str(tmp_path / "prometheus.yml")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (job,) = yaml.safe_load(text)["scrape_configs"]
    assert job["static_configs"] == [{"targets": ["gate:8767"]}]


def test_the_dashboard_is_what_it_is_made_of() -> None:
    """After a change: python -m deploy.grafana.fleet > deploy/grafana/dashboards/fleet.json."""
    assert json.loads((DEPLOY / "grafana/dashboards/fleet.json").read_text()) == dashboard()


def test_panels_have_a_place_of_their_own_in_five_rows() -> None:
    panels = dashboard()["panels"]
    assert [panel["title"] for panel in panels if panel["type"] == "row"] == [
        "Is it working", "Compactions", "What they cost", "Re-reads", "Live path",
    ]  # fmt: skip
    taken: set[tuple[int, int]] = set()
    for panel in panels:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken, panel["title"]
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in panels}) == len(panels)
    variables = [variable["name"] for variable in dashboard()["templating"]["list"]]
    assert variables == ["environment", "client", "model", "labels"]


def test_grafana_finds_the_data_source_and_the_dashboard_where_compose_puts_them() -> None:
    provisioning = DEPLOY / "grafana/provisioning"
    (datasource,) = yaml.safe_load((provisioning / "datasources/prometheus.yml").read_text())["datasources"]
    assert datasource["uid"] == dashboard()["panels"][0].get("datasource", {"uid": "prometheus"})["uid"]
    assert datasource["url"] == "http://prometheus:9090"
    (provider,) = yaml.safe_load((provisioning / "dashboards/compaction-gate.yml").read_text())["providers"]
    mounted = dict(volume.split(":")[:2] for volume in compose()["services"]["grafana"]["volumes"])
    assert mounted["./grafana/dashboards"] == provider["options"]["path"]


def test_what_compose_mounts_is_there_and_what_it_publishes_stays_on_this_machine() -> None:
    services, text = compose()["services"], (DEPLOY / "README.md").read_text()
    assert set(services) == {"gate", "prometheus", "grafana"}
    for service in services.values():
        for volume in service["volumes"]:
            place = volume.split(":")[0]
            assert place in compose()["volumes"] or (DEPLOY / place).is_dir(), volume
        assert all(port.startswith("127.0.0.1:") for port in service["ports"])
        assert set(service["secrets"]) <= set(compose()["secrets"])
    for name, secret in compose()["secrets"].items():
        assert secret["file"] == f"./secrets/{name}"
        assert name in text
    assert services["gate"]["build"]["dockerfile"] == "deploy/Dockerfile"


def test_who_stops_the_container_waits_longer_than_streams_are_drained() -> None:
    drain_s = load(environment={"XDG_CONFIG_HOME": "/nonexistent"}).settings.relay.drain_s
    needed_s = drain_s + DRAIN_MARGIN_S + inspect.signature(Plan).parameters["grace_s"].default
    grace = compose()["services"]["gate"]["stop_grace_period"]
    assert int(grace.removesuffix("s")) > needed_s
    pod = re.search(r"terminationGracePeriodSeconds: (\d+)", (DEPLOY / "README.md").read_text())
    assert pod is not None
    assert int(pod[1]) > needed_s


def test_variables_of_the_image_and_of_compose_are_settings() -> None:
    text = (DEPLOY / "Dockerfile").read_text()
    names = set(re.findall(r"\b(COMPACTION_GATE_\w+)=", text))
    names |= {name for name in compose()["services"]["gate"]["environment"] if name.startswith("COMPACTION_GATE_")}
    assert len(names) == 6
    assert {name for name in names if key_of_variable(name) is None} == set()


def test_the_image_is_built_of_files_that_exist() -> None:
    kept = (DEPLOY / "Dockerfile.dockerignore").read_text()
    for line in dockerfile():
        if line.startswith("COPY ") and "--from" not in line:
            *sources, _ = line.split()[1:]
            for name in sources:
                assert (ROOT / name).exists(), line
                assert f"!{name}" in kept, line
    script = re.search(r'ENTRYPOINT \["([\w-]+)"\]', "\n".join(dockerfile()))
    assert script is not None
    assert f"\n{script[1]} = " in (ROOT / "pyproject.toml").read_text()


def test_the_builds_own_tool_comes_from_the_lock_by_its_hash() -> None:
    program = re.search(r"awk '([^']+)' requirements/dev.txt", (DEPLOY / "Dockerfile").read_text())
    assert program is not None
    taken = subprocess.run(
        ["awk", program[1], str(ROOT / "requirements/dev.txt")], capture_output=True, text=True, check=True
    ).stdout
    assert re.fullmatch(r"setuptools==[\d.]+ \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+", taken)


def test_the_image_runs_without_rights_and_names_no_registry() -> None:
    lines = dockerfile()
    bases = [line.split()[1] for line in lines if line.startswith("FROM ")]
    assert bases == ["${PYTHON_IMAGE}", "${PYTHON_IMAGE}"]
    assert [line for line in lines if line.startswith("USER ")] == ["USER gate"]
    assert not re.search(r"https?://(?!127\.0\.0\.1)", "\n".join(lines))
    assert "pip install --require-hashes -r requirements/run.txt" in "\n".join(lines)


@needs_compose
def test_compose_takes_the_file() -> None:
    done = subprocess.run(
        ["docker-compose", "--file", str(DEPLOY / "compose.yaml"), "config", "--quiet"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
