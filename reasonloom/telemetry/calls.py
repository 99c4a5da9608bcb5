"""Metrics of calls of tools: how many, with what outcome, in how long."""

from __future__ import annotations

from opentelemetry import metrics

_meter = metrics.get_meter("reasonloom")
_calls = _meter.create_counter("reasonloom.tool.calls", "{call}", "Calls of tools by their outcome")
_seconds = _meter.create_histogram(
    "mcp.server.operation.duration", "s", "Time until a call of a tool was answered"
)


def count_call(tool: str, status: str, seconds: float) -> None:
    """Count one call; `status` is ok, error (the tool's), refused (the protocol's) or cancelled."""
    of = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "reasonloom.status": status}
    _calls.add(1, of)
    _seconds.record(seconds, of)
