"""A collector of OpenTelemetry over HTTP on loopback, which keeps what it is sent."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.clients.http_server import Handler, serving


class Collector:
    """What was sent: every raw body, and the spans and metrics in them."""

    def __init__(self) -> None:
        self.url = ""
        self.raw: list[bytes] = []
        self.spans: list[Any] = []
        self.metrics: list[Any] = []
        self.resources: list[dict[str, Any]] = []

    def take(self, path: str, body: bytes) -> None:
        """Keep one request."""
        self.raw.append(body)
        if path.endswith("/v1/traces"):
            for each in ExportTraceServiceRequest.FromString(body).resource_spans:
                self.resources.append(attributes(each.resource))
                self.spans += [span for scope in each.scope_spans for span in scope.spans]
        else:
            for each in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                self.metrics += [one for scope in each.scope_metrics for one in scope.metrics]

    def named(self, name: str) -> list[Any]:
        """Return the spans of a name, in the order of their beginnings."""
        found = [span for span in self.spans if span.name == name]
        return sorted(found, key=lambda span: span.start_time_unix_nano)

    def points(self, name: str) -> list[tuple[dict[str, Any], float]]:
        """Return the attributes of a metric's points with its value, or a histogram's count.

        Each is the sum since the beginning, so that the last one sent counts.
        """
        found: dict[str, tuple[dict[str, Any], float]] = {}
        for metric in self.metrics:
            if metric.name == name:
                counts = metric.HasField("histogram")
                for point in (metric.histogram if counts else metric.sum).data_points:
                    of = attributes(point)
                    found[str(sorted(of.items()))] = of, point.count if counts else number(point)
        return list(found.values())


def number(point: Any) -> float:
    """Return a point's value."""
    return float(getattr(point, point.WhichOneof("value")))


def attributes(holder: Any) -> dict[str, Any]:
    """Return the attributes of a span, a point or a resource."""
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in holder.attributes
    }


@contextmanager
def collecting() -> Iterator[Collector]:
    """Yield a collector that listens while the block runs."""
    collector = Collector()

    class Taking(Handler):
        def reply(self) -> None:
            body = self.body()
            zipped = self.headers.get("content-encoding") == "gzip"
            collector.take(self.path, gzip.decompress(body) if zipped else body)
            self.answer(b"", headers={})

    with serving(Taking) as url:
        collector.url = url
        yield collector
