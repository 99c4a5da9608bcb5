"""Metrics of tool calls, and spans and metrics of language model calls.

Names follow OpenTelemetry's semantic conventions for generative AI where they exist.
"""

import time
from collections.abc import Awaitable
from typing import Protocol, TypeVar

from opentelemetry import metrics
from opentelemetry.trace import SpanKind

from reasonloom.telemetry.active_run import open_span

_meter = metrics.get_meter("reasonloom")
_tool_calls = _meter.create_counter(
    "reasonloom.tool.calls", "{call}", "Calls of tools by their outcome"
)
_tool_seconds = _meter.create_histogram(
    "mcp.server.operation.duration", "s", "Time until a call of a tool was answered"
)


def count_tool_call(tool: str, status: str, seconds: float) -> None:
    """Count a call; `status` is ok, error (of the tool), refused (by the protocol) or cancelled."""
    of = {"mcp.method.name": "tools/call", "gen_ai.tool.name": tool, "reasonloom.status": status}
    _tool_calls.add(1, of)
    _tool_seconds.record(seconds, of)


_llm_tokens = _meter.create_histogram(
    "gen_ai.client.token.usage", "{token}", "Tokens of questions and of answers"
)
_llm_seconds = _meter.create_histogram(
    "gen_ai.client.operation.duration", "s", "Time until a language model has answered"
)
_llm_cost = _meter.create_counter(
    "reasonloom.llm.cost", "USD", "What answers cost, where it is known"
)


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


async def traced_llm_call(llm: str, answer: Awaitable[Reply]) -> Reply:
    """Await a reply of the language model `llm`, with a span and metrics."""
    kind, _, model = llm.partition(":")
    named: dict[str, str | bool] = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": kind}
    if kind == "litellm":  # other kinds may have a file path after the colon
        named["gen_ai.request.model"] = model
    begun = time.perf_counter()
    fault: dict[str, str] = {}
    with open_span(f"chat {kind}", named, SpanKind.CLIENT) as span:
        try:
            reply = await answer
        except BaseException as error:
            fault = {"error.type": type(error).__name__}
            raise
        finally:
            _llm_seconds.record(time.perf_counter() - begun, {**named, **fault})
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


def _record_usage(named: dict[str, str | bool], reply: LlmReply) -> None:
    of = {**named, "gen_ai.response.model": reply.model}
    _llm_tokens.record(reply.usage.tokens_in, {**of, "gen_ai.token.type": "input"})
    _llm_tokens.record(reply.usage.tokens_out, {**of, "gen_ai.token.type": "output"})
    if reply.usage.cost_usd:
        _llm_cost.add(reply.usage.cost_usd, of)
