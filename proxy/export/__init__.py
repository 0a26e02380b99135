"""Spans of sessions, turns, boundaries and re-reads for an OTLP collector (docs/operate.md#export). Off by default.

spans      facts to spans: names and attributes of the OTel GenAI conventions
progress   what has been sent, as a small file
follower   committed facts to batches of spans, at least once
collector  the only place that imports opentelemetry

An exporter is a process of its own that reads the store: whatever the collector does, the live path does not notice.
"""
