"""Filters exported spans by an allowlist: no client-chosen names, and no contents."""

import re
from collections.abc import Collection, Mapping, Sequence

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import Status
from opentelemetry.util.types import AttributeValue

from reasonloom.server.names import METHODS, OTHER

ALLOWED = frozenset({
    "mcp.method.name", "mcp.protocol.version", "rpc.response.status_code", "error.type",
    "gen_ai.operation.name", "gen_ai.tool.name", "gen_ai.provider.name", "gen_ai.request.model",
    "gen_ai.response.model", "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
    "reasonloom.run.id", "reasonloom.run.status", "reasonloom.run.resumed",
    "reasonloom.llm.cost_usd", "db.system", "db.system.name", "db.statement", "db.query.text",
    "http.method", "http.request.method", "http.status_code", "http.response.status_code",
    "server.address", "server.port", "net.peer.name", "net.peer.port",
})  # fmt: skip
METHOD, TOOL = "mcp.method.name", "gen_ai.tool.name"
STATEMENTS = frozenset({"db.statement", "db.query.text"})
QUOTED = re.compile(r"'[^']*'")
PLAIN_NAME = re.compile(r"[\w .:/+-]{1,100}")
LONGEST_STATEMENT = 2_000


class FilteringExporter(SpanExporter):
    """An exporter that removes attributes not on the allowlist before another exporter."""

    def __init__(self, exporter: SpanExporter, tools: Collection[str]) -> None:
        self._exporter = exporter
        self._tools = frozenset(tools)

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Export filtered spans."""
        return self._exporter.export([self._cleaned(span) for span in spans])

    def shutdown(self) -> None:
        """Shut down the wrapped exporter."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Flush the wrapped exporter."""
        return self._exporter.force_flush(timeout_millis)

    def _cleaned(self, span: ReadableSpan) -> ReadableSpan:
        attributes = self._attributes(span.attributes or {})
        return ReadableSpan(
            name=_name(span.name, attributes),
            context=span.context,
            parent=span.parent,
            resource=span.resource,
            attributes=attributes,
            kind=span.kind,
            status=Status(span.status.status_code),
            start_time=span.start_time,
            end_time=span.end_time,
            instrumentation_scope=span.instrumentation_scope,
        )

    def _attributes(self, given: Mapping[str, AttributeValue]) -> dict[str, AttributeValue]:
        kept = {name: value for name, value in given.items() if name in ALLOWED}
        if TOOL in kept and kept[TOOL] not in self._tools:
            kept[TOOL] = OTHER
        if METHOD in kept and kept[METHOD] not in METHODS:
            kept[METHOD] = OTHER
        return {name: _plain(name, value) for name, value in kept.items()}


def _plain(name: str, value: AttributeValue) -> AttributeValue:
    """Return a value with literals in SQL masked; other texts must look like names."""
    if not isinstance(value, str):
        return value
    if name in STATEMENTS:
        return QUOTED.sub("'?'", value[:LONGEST_STATEMENT])
    return value if PLAIN_NAME.fullmatch(value) else OTHER


def _name(name: str, attributes: Mapping[str, AttributeValue]) -> str:
    """Return a span's name; for MCP messages, rebuild it from known attributes."""
    if METHOD in attributes:
        return " ".join(str(attributes[key]) for key in (METHOD, TOOL) if key in attributes)
    return name if PLAIN_NAME.fullmatch(name) else OTHER
