"""Metrics of a process, and the spans of language model calls.

Names follow OpenTelemetry's semantic conventions where they exist.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol, TypeVar

from opentelemetry import metrics
from opentelemetry.trace import SpanKind

from reasonloom.telemetry.active_run import CANCELLED, DONE, FAILED, STATUS, open_span

WAITING = "waiting"
Attributes = Mapping[str, str | bool]
Recorder = Callable[[str, float, Attributes], None]
"""Takes a metric's name, the value to add or record, and its attributes."""

SECONDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)
TOKENS = (16, 64, 256, 1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576)
"""Upper bounds of the buckets of histograms."""

TOOL_CALLS, TOOL_SECONDS = "reasonloom.tool.calls", "mcp.server.operation.duration"
RUNS, RUNS_ACTIVE = "reasonloom.runs", "reasonloom.runs.active"
LLM_TOKENS, LLM_SECONDS = "gen_ai.client.token.usage", "gen_ai.client.operation.duration"
LLM_COST, EMBEDDER_SECONDS = "reasonloom.llm.cost", "reasonloom.embedder.duration"
HEAVY_CALLS, CONNECTIONS = "reasonloom.heavy_calls", "db.client.connection.count"
CONNECTIONS_MAX = "db.client.connection.max"
JOBS = "reasonloom.jobs"
CONNECTIONS_PENDING = "db.client.connection.pending_requests"

_meter = metrics.get_meter("reasonloom")


def _counter(name: str, unit: str, meaning: str) -> Callable[[float, Attributes], None]:
    return _meter.create_counter(name, unit, meaning).add


def _gauge(name: str, unit: str, meaning: str) -> Callable[[float, Attributes], None]:
    return _meter.create_up_down_counter(name, unit, meaning).add


def _histogram(
    name: str, unit: str, meaning: str, bounds: tuple[float, ...] = SECONDS
) -> Callable[[float, Attributes], None]:
    return _meter.create_histogram(
        name, unit, meaning, explicit_bucket_boundaries_advisory=bounds
    ).record


GAUGES = {
    name: _gauge(name, unit, meaning)
    for name, unit, meaning in (
        (RUNS_ACTIVE, "{run}", "Runs being executed"),
        (HEAVY_CALLS, "{call}", "Calls in the process for heavy calls, and waiting for it"),
        (CONNECTIONS, "{connection}", "Database connections in use"),
        (CONNECTIONS_MAX, "{connection}", "Database connections that the pool may open"),
        (CONNECTIONS_PENDING, "{request}", "Transactions that wait for a database connection"),
    )
}
"""Metrics that go up and down; a process that is killed leaves them up."""

INSTRUMENTS = {
    **GAUGES,
    TOOL_CALLS: _counter(TOOL_CALLS, "{call}", "Calls of tools by their outcome"),
    TOOL_SECONDS: _histogram(TOOL_SECONDS, "s", "Duration of tool calls"),
    RUNS: _counter(RUNS, "{run}", "Runs that ended, or wait for their caller"),
    JOBS: _counter(JOBS, "{job}", "Attempts at jobs by their outcome"),
    LLM_SECONDS: _histogram(LLM_SECONDS, "s", "Duration of language model calls"),
    LLM_TOKENS: _histogram(LLM_TOKENS, "{token}", "Tokens of language model calls", TOKENS),
    LLM_COST: _counter(LLM_COST, "USD", "Cost of replies, where it is known"),
    EMBEDDER_SECONDS: _histogram(EMBEDDER_SECONDS, "s", "Duration of embedding a step's texts"),
}
"""Every metric by its name, as the function that adds to it or records a value."""


class Recording:
    """Where values are recorded: in this process's metrics, unless `to` replaces them."""

    def __init__(self) -> None:
        self.to: Recorder = record_here


def record_here(name: str, value: float, of: Attributes) -> None:
    """Add `value` to a counter or gauge of this process, or record it in a histogram."""
    INSTRUMENTS[name](value, of)


recording = Recording()


@contextmanager
def gauged(name: str, **of: str) -> Iterator[None]:
    """Raise a gauge by one within a block."""
    recording.to(name, 1, of)
    try:
        yield
    finally:
        recording.to(name, -1, of)


def count_tool_call(tool: str, status: str, seconds: float) -> None:
    """Count a call; `status` is ok, error (of the tool), refused (by the protocol) or cancelled."""
    of = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "reasonloom.status": status}
    recording.to(TOOL_CALLS, 1, of)
    recording.to(TOOL_SECONDS, seconds, of)


def count_job(kind: str, status: str) -> None:
    """Count an attempt; `status` is done, failed, returned, taken_over or quarantined."""
    recording.to(JOBS, 1, {"reasonloom.job": kind, "reasonloom.status": status})


class TokenUsage(Protocol):
    """The tokens and the cost of a call."""

    @property
    def tokens_in(self) -> int: ...  # noqa: D102
    @property
    def tokens_out(self) -> int: ...  # noqa: D102
    @property
    def cost_usd(self) -> float | None: ...  # noqa: D102


class LlmReply(Protocol):
    """A reply: the model that gave it, and its usage."""

    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def usage(self) -> TokenUsage: ...  # noqa: D102


Reply = TypeVar("Reply", bound=LlmReply)
Made = TypeVar("Made")


async def counted_run(tool: str, work: Awaitable[Made], waits: Callable[[Made], bool]) -> Made:
    """Await a run's outcome; count the run as active meanwhile, then by how it ended.

    `waits` tells whether an outcome is one that waits for its caller's replies.
    """
    status = FAILED
    with gauged(RUNS_ACTIVE):
        try:
            outcome = await work
            status = WAITING if waits(outcome) else DONE
        except asyncio.CancelledError:
            status = CANCELLED
            raise
        finally:
            recording.to(RUNS, 1, {"gen_ai.tool.name": tool, STATUS: status})
    return outcome


async def timed_embedding(model: str, vectors: Awaitable[Made]) -> Made:
    """Await the vectors of the embedder `model`, and record how long it took."""
    with _timed(EMBEDDER_SECONDS, {"gen_ai.request.model": model}):
        return await vectors


@contextmanager
def _timed(name: str, of: Attributes) -> Iterator[None]:
    """Record the duration of a block, with the type of the error that ends it."""
    begun = time.perf_counter()
    fault: dict[str, str] = {}
    try:
        yield
    except BaseException as error:
        fault = {"error.type": type(error).__name__}
        raise
    finally:
        recording.to(name, time.perf_counter() - begun, {**of, **fault})


async def traced_llm_call(llm: str, answer: Awaitable[Reply]) -> Reply:
    """Await a reply of the language model `llm`, with a span and metrics."""
    kind, _, model = llm.partition(":")
    named: dict[str, str | bool] = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": kind}
    if kind == "litellm":  # other kinds may have a file path after the colon
        named["gen_ai.request.model"] = model
    with open_span(f"chat {kind}", named, SpanKind.CLIENT) as span:
        with _timed(LLM_SECONDS, named):
            reply = await answer
        span.set_attributes(
            {
                "gen_ai.response.model": reply.model,
                "gen_ai.usage.input_tokens": reply.usage.tokens_in,
                "gen_ai.usage.output_tokens": reply.usage.tokens_out,
                "reasonloom.llm.cost_usd": reply.usage.cost_usd or 0.0,
            }
        )
        _record_usage(named, reply)
    return reply


def _record_usage(named: Attributes, reply: LlmReply) -> None:
    of = {**named, "gen_ai.response.model": reply.model}
    recording.to(LLM_TOKENS, reply.usage.tokens_in, {**of, "gen_ai.token.type": "input"})
    recording.to(LLM_TOKENS, reply.usage.tokens_out, {**of, "gen_ai.token.type": "output"})
    if reply.usage.cost_usd:
        recording.to(LLM_COST, reply.usage.cost_usd, of)
