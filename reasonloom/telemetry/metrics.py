"""Spans and metrics of calls of language models: who answered, in how long, for how much.

Names are those of OpenTelemetry's conventions for generative AI, as far as there are any.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable
from typing import Protocol, TypeVar

from opentelemetry import metrics
from opentelemetry.trace import SpanKind

from reasonloom.telemetry.active_run import opened

_meter = metrics.get_meter("reasonloom")
_tokens = _meter.create_histogram(
    "gen_ai.client.token.usage", "{token}", "Tokens of questions and of answers"
)
_seconds = _meter.create_histogram(
    "gen_ai.client.operation.duration", "s", "Time until a language model has answered"
)
_cost = _meter.create_counter("reasonloom.llm.cost", "USD", "What answers cost, where it is known")


class Priced(Protocol):
    """What a call used."""

    @property
    def tokens_in(self) -> int: ...  # noqa: D102
    @property
    def tokens_out(self) -> int: ...  # noqa: D102
    @property
    def cost_usd(self) -> float | None: ...  # noqa: D102


class Answered(Protocol):
    """An answer: which model gave it, and what it used."""

    @property
    def model(self) -> str: ...  # noqa: D102
    @property
    def usage(self) -> Priced: ...  # noqa: D102


Reply = TypeVar("Reply", bound=Answered)


async def asked(llm: str, answer: Awaitable[Reply]) -> Reply:
    """Await the answer of a language model, told by the setting's name `llm`."""
    kind, _, model = llm.partition(":")
    named: dict[str, str | bool] = {"gen_ai.operation.name": "chat", "gen_ai.provider.name": kind}
    if kind == "litellm":  # what stands behind another kind's colon may be a file
        named["gen_ai.request.model"] = model
    begun = time.perf_counter()
    fault: dict[str, str] = {}
    with opened(f"chat {kind}", named, SpanKind.CLIENT) as span:
        try:
            reply = await answer
        except BaseException as error:
            fault = {"error.type": type(error).__name__}
            raise
        finally:
            _seconds.record(time.perf_counter() - begun, {**named, **fault})
        span.set_attributes(
            {
                "gen_ai.response.model": reply.model,
                "gen_ai.usage.input_tokens": reply.usage.tokens_in,
                "gen_ai.usage.output_tokens": reply.usage.tokens_out,
                "reasonloom.llm.cost_usd": reply.usage.cost_usd or 0.0,
            }
        )
        _count(named, reply)
    return reply


def _count(named: dict[str, str | bool], reply: Answered) -> None:
    of = {**named, "gen_ai.response.model": reply.model}
    _tokens.record(reply.usage.tokens_in, {**of, "gen_ai.token.type": "input"})
    _tokens.record(reply.usage.tokens_out, {**of, "gen_ai.token.type": "output"})
    if reply.usage.cost_usd:
        _cost.add(reply.usage.cost_usd, of)
