"""Language models as an eval run calls them: within budget and limits, seeded and recorded.

The current attempt is found through a context variable, which tasks inherit, so that one engine
can answer many items at once and still bill each its own usage.
"""

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from reasonloom.errors import InvalidArgument, LlmRefused
from reasonloom.evals.core.budget import BudgetReached, Spending
from reasonloom.llm.interfaces import Ask, LanguageModel, Priced, Reply, Usage
from reasonloom.llm.messages import text_of, to_dicts


@dataclass(slots=True)
class Attempt:
    """The state of one attempt: its calls and their usage, in order of completion.

    `epoch` counts repetitions from 0; `seed` is that of the whole run, the same for every system.
    `task` runs the attempt; `broken` is why it, and with it the run, must stop.
    """

    epoch: int
    seed: int
    usages: list[Usage] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    broken: BaseException | None = None
    task: asyncio.Task[Any] | None = None

    async def break_off(self, why: BaseException) -> NoReturn:
        """Cancel the attempt, so that no graph mistakes `why` for a reply of its language model."""
        self.broken = self.broken or why
        if self.task is not None:
            self.task.cancel()
        await asyncio.Event().wait()
        raise AssertionError

    def usage(self) -> dict[str, float]:
        """Return calls, tokens and US dollars so far; empty if no call was made."""
        if not self.usages:
            return {}
        return {
            "calls": len(self.usages),
            "tokens_in": sum(usage.tokens_in for usage in self.usages),
            "tokens_out": sum(usage.tokens_out for usage in self.usages),
            "usd": sum(usage.cost_usd or 0.0 for usage in self.usages),
        }


_CURRENT: ContextVar[Attempt | None] = ContextVar("attempt", default=None)


def current_attempt() -> Attempt | None:
    """Return the current attempt, None outside of any."""
    return _CURRENT.get()


@contextmanager
def as_current_attempt(attempt: Attempt) -> Iterator[None]:
    """Make an attempt the current one."""
    token = _CURRENT.set(attempt)
    try:
        yield
    finally:
        _CURRENT.reset(token)


AT_ONCE = 8
"""Default limit of concurrent calls per provider."""

SAMPLES = 1_000
"""Sample numbers reserved per epoch, so that epochs never share samples."""

FRAME = 16
"""Tokens that a provider may add per message."""


@dataclass(slots=True)
class Limits:
    """Limits of concurrent calls per provider; `own` overrides them by provider name."""

    default: int = AT_ONCE
    own: Mapping[str, int] = field(default_factory=dict)
    _doors: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, limit in (("limit", self.default), *self.own.items()):
            if limit < 1:
                raise InvalidArgument(f"{name}: must be 1 or more calls at once", field="limit")

    def of(self, llm: str) -> AbstractAsyncContextManager[None]:
        """Return the semaphore of a model's provider."""
        name = provider_of(llm)
        if name not in self._doors:
            self._doors[name] = asyncio.Semaphore(self.own.get(name, self.default))
        return self._doors[name]


def provider_of(llm: str) -> str:
    """Return the provider: openai for `litellm:openai/gpt-5`, else the part before the colon.

    Recording does not change the provider.
    """
    kind, _, model = llm.partition(":")
    if kind == "record":
        return provider_of(model.partition(":")[2])
    return model.partition("/")[0] if kind == "litellm" and "/" in model else kind


class _Wrapper:
    """A language model around another; its prices per token are those of the inner one."""

    def __init__(self, inner: LanguageModel) -> None:
        self.name, self.offline, self._inner = inner.name, inner.offline, inner

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner model's prices, None if unknown."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner model."""
        await self._inner.close()


class BudgetedModel(_Wrapper):
    """Calls a provider within the run's budget and the provider's limit.

    If the budget is used up or the provider refuses, it aborts the attempt and with it the run,
    unless `count_errors` makes refusals failures of the system.
    """

    def __init__(
        self,
        inner: LanguageModel,
        spending: Spending,
        limits: Limits,
        *,
        most_tokens: int,
        count_errors: bool = False,
    ) -> None:
        super().__init__(inner)
        self._spending, self._limits = spending, limits
        self._most_tokens, self._count_errors = most_tokens, count_errors

    async def answer(self, ask: Ask) -> Reply:
        """Return the provider's reply."""
        try:
            return await self._within(ask)
        except BudgetReached as stop:
            return await _break_off(stop)
        except LlmRefused as refusal:
            if self._count_errors:
                raise
            return await _break_off(refusal)

    async def _within(self, ask: Ask) -> Reply:
        ask = replace(ask, most_tokens=ask.most_tokens or self._most_tokens)
        async with (
            self._limits.of(self.name),
            self._spending.held(self._inner, _question_bound(ask), ask.most_tokens or 0) as paid,
        ):
            reply = await self._inner.answer(ask)
            paid(reply.usage)
        return reply


class RecordedModel(_Wrapper):
    """Gives every epoch its own samples, and records calls and usage with the current attempt."""

    async def answer(self, ask: Ask) -> Reply:
        """Return the inner model's reply."""
        attempt = current_attempt()
        if attempt is None:
            return await self._inner.answer(ask)
        sample = ask.sample + SAMPLES * attempt.epoch
        seed = attempt.seed + sample if ask.seed is None else ask.seed
        reply = await self._inner.answer(replace(ask, sample=sample, seed=seed))
        attempt.usages.append(reply.usage)
        request = to_dicts(ask.messages)
        attempt.calls.append({"asked": request, "sample": sample, "said": reply.text})
        return reply


async def _break_off(why: BudgetReached | LlmRefused) -> Reply:
    attempt = current_attempt()
    if attempt is None:
        raise why
    await attempt.break_off(why)


def _question_bound(ask: Ask) -> int:
    """Bound a question's tokens: a token is never shorter than a byte."""
    wire = to_dicts(ask.messages)
    schema = json.dumps(ask.schema) if ask.schema else ""
    return len((text_of(wire) + schema).encode("utf-8", "replace")) + FRAME * (len(wire) + 1)
