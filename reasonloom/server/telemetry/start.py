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
MISSING_EXTRA = "a collector is named, but nothing is sent: install reasonloom with its extra otel"


def start_telemetry(settings: Settings) -> None:
    """Start sending spans and metrics if `OTEL_EXPORTER_OTLP_ENDPOINT` is set.

    The SDK reads the other standard variables itself: headers, service name, sampler. Buffered
    data is sent at exit.
    """
    if settings.otlp_endpoint is None:
        return
    try:
        providers = _start(_names(settings))
    except ImportError:
        log.warning(MISSING_EXTRA)
        return
    atexit.register(_end, providers)


def _end(providers: Sequence[Any]) -> None:
    """Flush and shut down; the server's exit deadline applies even if the collector hangs."""
    for provider in providers:
        provider.shutdown()


def _names(settings: Settings) -> set[str]:
    """Return the tool names allowed in spans: tools' own names and their served names."""
    ours = {line.name for toolset in (*TOOLSETS, *EXTRA_TOOLSETS) for line in toolset.tools}
    catalogues = (choose(settings), *reference_catalogues(settings).values())
    return ours.union(served.name for each in catalogues for served in each.tools)


def _start(tools: Collection[str]) -> list[Any]:
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    from reasonloom.server.telemetry.span_filter import FilteringExporter

    named = {"service.name": "reasonloom", "service.version": __version__}
    resource = Resource.create(named).merge(OTELResourceDetector().detect())
    tracing = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracing.add_span_processor(BatchSpanProcessor(FilteringExporter(OTLPSpanExporter(), tools)))
    readers = [PeriodicExportingMetricReader(OTLPMetricExporter())]
    metering = MeterProvider(readers, resource=resource, shutdown_on_exit=False)
    trace.set_tracer_provider(tracing)
    metrics.set_meter_provider(metering)
    for name, instrumentor in (("psycopg", "Psycopg"), ("httpx", "HTTPXClient")):
        module = import_module(f"opentelemetry.instrumentation.{name}")
        getattr(module, f"{instrumentor}Instrumentor")().instrument()
    return [tracing, metering]
