"""The active run: its id for the log, and its span."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from uuid import UUID

from opentelemetry import trace
from opentelemetry.trace import Span, Status, StatusCode

RUN_ID, STATUS = "reasonloom.run.id", "reasonloom.run.status"
DONE, FAILED, CANCELLED = "done", "failed", "cancelled"

_tracer = trace.get_tracer("reasonloom")
_work: ContextVar[ActiveRun | None] = ContextVar("work", default=None)


@dataclass(frozen=True, slots=True)
class ActiveRun:
    """A run and its tool."""

    tool: str
    run_id: UUID


def active_run() -> ActiveRun | None:
    """Return the run of the current task, None if there is none."""
    return _work.get()


@contextmanager
def run_span(tool: str, run_id: UUID, *, resumed: bool = False) -> Iterator[None]:
    """Set the active run for the log within a block, and trace it as a span.

    The enclosing span, which MCP's SDK opens for every message, gets the run's id too.
    """
    trace.get_current_span().set_attribute(RUN_ID, str(run_id))
    named: dict[str, str | bool] = {
        "gen_ai.tool.name": tool,
        RUN_ID: str(run_id),
        "reasonloom.run.resumed": resumed,
    }
    token = _work.set(ActiveRun(tool, run_id))
    try:
        with open_span(f"run {tool}", named) as span:
            yield
            span.set_attribute(STATUS, DONE)
    finally:
        _work.reset(token)


@contextmanager
def open_span(
    name: str, attributes: dict[str, str | bool], kind: trace.SpanKind = trace.SpanKind.INTERNAL
) -> Iterator[Span]:
    """Open a span; errors are recorded by class only, since messages may quote contents."""
    with _tracer.start_as_current_span(
        name,
        kind=kind,
        attributes=attributes,
        record_exception=False,
        set_status_on_exception=False,
    ) as span:
        try:
            yield span
        except asyncio.CancelledError:
            span.set_attribute(STATUS, CANCELLED)
            raise
        except Exception as error:
            span.set_attributes({STATUS: FAILED, "error.type": type(error).__name__})
            span.set_status(Status(StatusCode.ERROR))
            raise
