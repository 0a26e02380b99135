"""fleet.yaml as Grafana reads it: python -m deploy.grafana.fleet > deploy/grafana/dashboards/fleet.json."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml

SOURCE = Path(__file__).with_suffix(".yaml")
COLUMNS, WIDTH, HEIGHT = 24, 8, 8
STAT_WIDTH, STAT_HEIGHT = 3, 4
DATASOURCE = {"type": "prometheus", "uid": "prometheus"}
FILTERS = {
    "EVERY": 'environment=~"$environment"',
    "CLIENT": 'environment=~"$environment", client=~"$client"',
    "MODEL": 'environment=~"$environment", client=~"$client", model=~"$model"',
}
_FILTER = re.compile(r"\b(EVERY|CLIENT|MODEL)\b")
COLOURS = {"deploys": "blue", "settings": "purple"}


def source() -> dict[str, Any]:
    """What the dashboard is made of, filters filled in."""
    found: dict[str, Any] = _filled(yaml.safe_load(SOURCE.read_text("utf-8")))
    return found


def expressions() -> list[str]:
    """Every expression of the dashboard."""
    panels = [panel for row in source()["rows"] for panel in row["panels"]]
    return [query for panel in panels for query in panel["queries"].values()] + list(source()["annotations"].values())


def dashboard() -> dict[str, Any]:
    """The whole of it."""
    told = source()
    return {
        "uid": "compaction-gate-fleet",
        "title": "Compaction: fleet",
        "tags": ["compaction-gate"],
        "schemaVersion": 39,
        "editable": False,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "graphTooltip": 1,
        "templating": {"list": [*(_variable(*each) for each in told["variables"].items()), _users_labels()]},
        "annotations": {"list": [_annotation(name, query) for name, query in told["annotations"].items()]},
        "panels": _panels(told["rows"]),
    }


def _filled(value: Any) -> Any:  # noqa: ANN401  YAML is any value
    if isinstance(value, dict):
        return {key: _filled(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one) for one in value]
    return _FILTER.sub(lambda found: FILTERS[found[0]], value) if isinstance(value, str) else value


def _variable(name: str, query: str) -> dict[str, Any]:
    return {
        "name": name,
        "label": name,
        "type": "query",
        "datasource": DATASOURCE,
        "query": {"query": query, "refId": name},
        "refresh": 2,
        "includeAll": True,
        "allValue": ".*",
        "multi": True,
        "current": {"text": ["All"], "value": ["$__all"]},
    }


def _users_labels() -> dict[str, Any]:
    """A filter for whatever `label_NAME` the settings define."""
    return {"name": "labels", "label": "label_*", "type": "adhoc", "datasource": DATASOURCE, "filters": []}


def _annotation(name: str, query: str) -> dict[str, Any]:
    return {
        "name": name,
        "datasource": DATASOURCE,
        "enable": True,
        "expr": query,
        "iconColor": COLOURS[name],
        "titleFormat": name,
    }


def _panels(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    top = 0
    for row in rows:
        found.append(
            {"type": "row", "title": row["title"], "collapsed": False, "panels": []} | _place(found, 0, top, COLUMNS, 1)
        )
        top, left, tallest = top + 1, 0, 0
        for panel in row["panels"]:
            is_stat = panel.get("kind") == "stat"
            width, height = panel.get("width", STAT_WIDTH if is_stat else WIDTH), STAT_HEIGHT if is_stat else HEIGHT
            if left + width > COLUMNS:
                top, left, tallest = top + tallest, 0, 0
            found.append(_panel(panel) | _place(found, left, top, width, height))
            left, tallest = left + width, max(tallest, height)
        top += tallest
    return found


def _place(before: list[dict[str, Any]], left: int, top: int, width: int, height: int) -> dict[str, Any]:
    return {"id": len(before) + 1, "gridPos": {"x": left, "y": top, "w": width, "h": height}}


def _panel(panel: dict[str, Any]) -> dict[str, Any]:
    kind = panel.get("kind", "timeseries")
    defaults: dict[str, Any] = {"unit": panel.get("unit", "short")}
    if panel.get("stacked"):
        defaults["custom"] = {"stacking": {"mode": "normal"}, "fillOpacity": 30}
    if "bad_above" in panel:
        steps = [{"color": "green", "value": None}, {"color": "red", "value": panel["bad_above"]}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps}
    return {
        "type": kind,
        "title": panel["title"],
        "description": panel.get("says", ""),
        "datasource": DATASOURCE,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "targets": [
            {
                "refId": chr(ord("A") + index),
                "datasource": DATASOURCE,
                "expr": query,
                "legendFormat": legend,
                "format": "heatmap" if kind == "heatmap" else "time_series",
                "instant": kind in ("stat", "bargauge"),
            }
            for index, (legend, query) in enumerate(panel["queries"].items())
        ],
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(dashboard(), indent=1) + "\n")
