"""The definitions as text: `docs/metrics.md`, and what the command `metrics` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proxy.metrics.definitions import (
    COMBINATIONS,
    HOUSE,
    METRICS,
    OBSERVED,
    OTHER,
    RELAY,
    SERIES_LIMIT,
    UNKNOWN,
    USER_VALUES,
    Dimension,
    Metric,
    labelled,
)

_CHAPTERS: tuple[tuple[str, str, Sequence[Metric]], ...] = (
    ("The live path", "Read from the relay's page. They go on over restarts of the relay.", RELAY),
    ("What was observed", "Summed from the store. Counters never fall when the store forgets.", OBSERVED),
    ("The house", "Of the processes and the data folder.", HOUSE),
)


def metrics_page() -> str:
    """`docs/metrics.md`."""
    most = sum(metric.most_series for metric in METRICS)
    most_labelled = sum(metric.most_series for metric in labelled("abc"))
    lines = [
        "# Metrics",
        "",
        "One scrape target: `GET /metrics` of the admin listener (`admin.listen`; with `admin.token_file` as",
        "bearer token). `compaction-gate metrics` prints this list. Each series also has the label `environment`.",
        "",
        "- A series whose source could not be read is absent; one that was read and found nothing is 0.",
        f"- At most {most:,} series by construction (limit {SERIES_LIMIT:,}), whatever the traffic says: a label",
        f"  that comes from traffic has a bound, the rest is `{OTHER}`, an empty value is `{UNKNOWN}`. The first",
        "  values seen have a name of their own; which ones that are is kept in the data folder.",
        "- A counter of a client is 0 from its first session on; one by model, tool or reason begins with its first",
        "  value, which `increase` does not see.",
        "- With [`[labels]`](operate.md#labels) each series with `client` has `label_NAME` behind it, at",
        f"  most {USER_VALUES} values each. {COMBINATIONS} combinations of client and labels are told apart; in",
        f"  further ones the labels are `{OTHER}`: at most {most_labelled:,} series.",
        "- `reference_tokens` (o200k_base) and `billed_tokens` are different units and never belong into one sum.",
    ]
    for title, text, metrics in _CHAPTERS:
        lines += ["", f"## {title}", "", text, "", "| series | kind | labels | meaning |", "|---|---|---|---|"]
        lines += [
            f"| `{metric.name}` | {metric.kind} | {_labels(metric) or 'none'} | {_meaning(metric)} |"
            for metric in metrics
        ]
    return "\n".join(lines) + "\n"


def metric_lines() -> Iterator[str]:
    """Every series with its help, for a terminal."""
    for title, _, metrics in _CHAPTERS:
        yield title
        for metric in metrics:
            labels = ", ".join(dimension.name for dimension in metric.labels)
            yield f"  {metric.name}{{{labels}}} {metric.kind}" if labels else f"  {metric.name} {metric.kind}"
            yield f"      {metric.help}"


def _meaning(metric: Metric) -> str:
    if not metric.buckets:
        return metric.help
    return f"{metric.help} Buckets {metric.buckets[0]:g} to {metric.buckets[-1]:g}."


def _labels(metric: Metric) -> str:
    return "; ".join(_label(dimension) for dimension in metric.labels)


def _label(dimension: Dimension) -> str:
    if dimension.values:
        return f"`{dimension.name}`: {', '.join(dimension.values)}"
    return f"`{dimension.name}` (at most {dimension.most})"


if __name__ == "__main__":
    print(metrics_page(), end="")  # noqa: T201  python -m proxy.metrics.documentation > docs/metrics.md
