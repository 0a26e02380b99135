"""The collector as one function: a batch of spans goes, or it does not. The only place that imports opentelemetry."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExportResult
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, TraceFlags

from proxy.export.spans import Span

BATCH_S, LAST_BATCH_S = 30.0, 3.0
"""A batch that was not taken by then, tries with waits among them, is dropped. At our end there is less time."""
TRACES = "/v1/traces"


class Collector:
    """One OTLP endpoint, spoken to over HTTP with protobuf.

    Its credentials come from `OTEL_EXPORTER_OTLP_HEADERS`, never from the settings.
    """

    def __init__(self, endpoint: str, resource: Mapping[str, str], *, batch_s: float = BATCH_S) -> None:
        """Takes the address (`/v1/traces` is added to one without a path) and what all spans have in common."""
        self._resource = Resource(dict(resource))
        self._scope = InstrumentationScope("compaction-gate", resource.get("service.version"))
        url = endpoint if urlsplit(endpoint).path.strip("/") else endpoint.rstrip("/") + TRACES
        self._url = url
        self._exporter = self._exporter_for(batch_s)
        logging.getLogger("opentelemetry").setLevel(
            logging.CRITICAL
        )  # it quotes answers; we count and say so ourselves

    def send(self, spans: Sequence[Span]) -> bool:
        """Whether the collector has taken them all, after as many tries as the time allows."""
        return self._exporter.export([self._readable(span) for span in spans]) is SpanExportResult.SUCCESS

    def hurry(self) -> None:
        """Give up waiting for another try, and wait less from now on. Fit for a signal handler."""
        former, self._exporter = self._exporter, self._exporter_for(LAST_BATCH_S)
        former.shutdown()  # type: ignore[no-untyped-call]

    def _exporter_for(self, batch_s: float) -> OTLPSpanExporter:
        return OTLPSpanExporter(endpoint=self._url, timeout=batch_s, compression=Compression.Gzip)

    def _readable(self, span: Span) -> ReadableSpan:
        return ReadableSpan(
            name=span.name,
            context=_context(span.trace_id, span.span_id),
            parent=_context(span.trace_id, span.parent_id) if span.parent_id is not None else None,
            resource=self._resource,
            attributes=dict(span.attributes),
            kind=SpanKind.CLIENT if span.is_client else SpanKind.INTERNAL,
            start_time=span.start_us * 1_000,
            end_time=span.end_us * 1_000,
            instrumentation_scope=self._scope,
        )


def _context(trace: int, span: int) -> SpanContext:
    return SpanContext(trace, span, is_remote=False, trace_flags=TraceFlags(TraceFlags.SAMPLED))
