"""Starts OpenTelemetry's SDK for a server, and flushes it at exit."""

import atexit
import logging
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any

from reasonloom import __version__
from reasonloom.server.catalogue.selection import choose, reference_catalogues
from reasonloom.server.toolsets.table import EXTRA_TOOLSETS, TOOLSETS
from reasonloom.settings import Settings

log = logging.getLogger(__name__)
MISSING_EXTRA = "install reasonloom with its extra otel"
_scraped = False


def start_telemetry(settings: Settings, *, scraped: bool = False) -> None:
    """Start sending spans and metrics if `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

    With `scraped`, metrics are also kept for Prometheus to fetch, if the extra is installed. The
    SDK reads the other standard variables itself: headers, service name, sampler. Buffered data is
    sent at exit.
    """
    global _scraped  # noqa: PLW0603 - a process has one SDK
    sent = settings.otlp_endpoint is not None
    if not sent and not scraped:
        return
    try:
        readers = _readers(sent=sent, scraped=scraped)
        providers = [_start_metrics(readers)]
        providers += [_start_tracing(_names(settings))] if sent else []
    except ImportError:
        if sent:
            log.warning("a collector is configured, but nothing is sent: %s", MISSING_EXTRA)
        return
    _scraped = scraped
    atexit.register(_end, providers)


def is_scraped() -> bool:
    """Return whether Prometheus can fetch this process's metrics."""
    return _scraped


def _end(providers: Sequence[Any]) -> None:
    """Flush and shut down; the server's exit deadline applies even if the collector hangs."""
    for provider in providers:
        provider.shutdown()


def _names(settings: Settings) -> set[str]:
    """Return the tool names allowed in spans: tools' own names and their served names."""
    ours = {line.name for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools}
    catalogues = (choose(settings), *reference_catalogues(settings).values())
    return ours.union(served.name for each in catalogues for served in each.tools)


def _readers(*, sent: bool, scraped: bool) -> list[Any]:
    """Return what reads the metrics; both get the same."""
    readers: list[Any] = []
    if sent:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

        readers.append(PeriodicExportingMetricReader(OTLPMetricExporter()))
    if scraped:
        from opentelemetry.exporter.prometheus import PrometheusMetricReader

        readers.append(PrometheusMetricReader(scope_info_enabled=False))
    return readers


def _start_metrics(readers: Sequence[Any]) -> Any:
    from opentelemetry import metrics
    from opentelemetry.sdk.metrics import MeterProvider

    metering = MeterProvider(readers, resource=_resource(), shutdown_on_exit=False)
    metrics.set_meter_provider(metering)
    return metering


def _resource() -> Any:
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource

    named = {"service.name": "reasonloom", "service.version": __version__}
    return Resource.create(named).merge(OTELResourceDetector().detect())


def _start_tracing(tools: Collection[str]) -> Any:
    from opentelemetry import trace
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from reasonloom.server.telemetry.span_filter import FilteringExporter

    tracing = TracerProvider(resource=_resource(), shutdown_on_exit=False)
    tracing.add_span_processor(BatchSpanProcessor(FilteringExporter(OTLPSpanExporter(), tools)))
    trace.set_tracer_provider(tracing)
    for name, instrumentor in (("psycopg", "Psycopg"), ("httpx", "HTTPXClient")):
        module = import_module(f"opentelemetry.instrumentation.{name}")
        getattr(module, f"{instrumentor}Instrumentor")().instrument()
    return tracing
