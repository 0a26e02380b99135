"""An OTLP collector that keeps what it is sent, over real HTTP."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass
class Taken:
    """What came, and what is answered."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    """Of the next answers; 200 when none is left."""
    requests: list[ExportTraceServiceRequest] = field(default_factory=list)
    """Those that were answered with 200."""
    bodies: list[bytes] = field(default_factory=list)
    """Of all requests, unpacked."""
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        """All of them, in order."""
        return [
            span
            for request in self.requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def resource(self) -> dict[str, Any]:
        """What all spans of the first request have in common."""
        return values(self.requests[0].resource_spans[0].resource.attributes)


def values(attributes: Any) -> dict[str, Any]:
    """Attributes as plain values."""
    return {one.key: _plain(one.value) for one in _each(attributes)}


def _each(attributes: Any) -> list[KeyValue]:
    return list(attributes)


def _plain(value: AnyValue) -> Any:
    if value.WhichOneof("value") == "array_value":
        return [_plain(one) for one in value.array_value.values]
    return getattr(value, value.WhichOneof("value") or "string_value")


@contextmanager
def a_collector() -> Iterator[Taken]:
    """Listens inside the block."""
    taken = Taken()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = gzip.decompress(self.rfile.read(int(self.headers["content-length"])))
            status = taken.statuses.pop(0) if taken.statuses else 200
            taken.bodies.append(body)
            taken.paths.append(self.path)
            taken.headers.append(dict(self.headers.items()))
            if status == 200:
                taken.requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    taken.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield taken
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
