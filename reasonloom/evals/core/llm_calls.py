"""Language models as a run of an eval asks them: within budget and limits, seeded, written down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from reasonloom.errors import InvalidArgument, LlmRefused
from reasonloom.evals.core.attempt import present
from reasonloom.evals.core.budget import Most, Spending, Stopped
from reasonloom.llm.messages import to_wire, words_of
from reasonloom.llm.port import Priced

if TYPE_CHECKING:
    from reasonloom.llm.port import Ask, LanguageModel, Reply

AT_ONCE = 8
"""Calls of one provider at the same time, where nothing else is said."""

SAMPLES = 1_000
"""Samples of one question that an epoch may ask for before it comes to those of the next."""

FRAME = 16
"""Tokens that a provider may put around one message."""


@dataclass(slots=True)
class Limits:
    """How many calls of a provider may be made at the same time; `own` by a provider's name."""

    default: int = AT_ONCE
    own: Mapping[str, int] = field(default_factory=dict)
    _doors: dict[str, asyncio.Semaphore] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, limit in (("limit", self.default), *self.own.items()):
            if limit < 1:
                raise InvalidArgument(f"{name}: must be 1 or more calls at once", field="limit")

    def of(self, llm: str) -> AbstractAsyncContextManager[None]:
        """Return the door of the provider of an llm."""
        name = provider(llm)
        if name not in self._doors:
            self._doors[name] = asyncio.Semaphore(self.own.get(name, self.default))
        return self._doors[name]


def provider(llm: str) -> str:
    """Return who answers: of `litellm:openai/gpt-5` openai, else what stands before the colon.

    Whoever is recorded is asked as without a recording.
    """
    kind, _, model = llm.partition(":")
    if kind == "record":
        return provider(model.partition(":")[2])
    return model.partition("/")[0] if kind == "litellm" and "/" in model else kind


class Guarded:
    """Asks a provider within the run's budget and the provider's limit.

    Where there is no room, or the provider refuses, the attempt is broken off and the run with it,
    unless `count_errors` has it that a refusal is the system's own failure.
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
        self.name, self.offline = inner.name, inner.offline
        self._inner, self._spending, self._limits = inner, spending, limits
        self._most_tokens, self._count_errors = most_tokens, count_errors

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the provider does."""
        try:
            return await self._within(ask)
        except Stopped as stop:
            return await _break_off(stop)
        except LlmRefused as refusal:
            if self._count_errors:
                raise
            return await _break_off(refusal)

    async def _within(self, ask: Ask) -> Reply:
        ask = replace(ask, most_tokens=ask.most_tokens or self._most_tokens)
        async with self._limits.of(self.name), self._spending.held(self._inner, _most(ask)) as paid:
            reply = await self._inner.answer(ask)
            paid(reply.usage)
        return reply

    async def prices(self) -> tuple[float, float] | None:
        """Return the provider's prices, None where it knows none."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the provider."""
        await self._inner.close()


class Watched:
    """Asks each epoch for samples of its own, and writes down what was said and what it took."""

    def __init__(self, inner: LanguageModel) -> None:
        self.name, self.offline = inner.name, inner.offline
        self._inner = inner

    async def answer(self, ask: Ask) -> Reply:
        """Answer as the inner llm does."""
        attempt = present()
        if attempt is None:
            return await self._inner.answer(ask)
        sample = ask.sample + SAMPLES * attempt.epoch
        seed = attempt.seed + sample if ask.seed is None else ask.seed
        reply = await self._inner.answer(replace(ask, sample=sample, seed=seed))
        attempt.usages.append(reply.usage)
        asked = to_wire(ask.messages)
        attempt.calls.append({"asked": asked, "sample": sample, "said": reply.text})
        return reply

    async def prices(self) -> tuple[float, float] | None:
        """Return the inner llm's prices, None where it knows none."""
        return await self._inner.prices() if isinstance(self._inner, Priced) else None

    async def close(self) -> None:
        """Close the inner llm."""
        await self._inner.close()


async def _break_off(why: Stopped | LlmRefused) -> Reply:
    attempt = present()
    if attempt is None:
        raise why
    await attempt.break_off(why)


def _most(ask: Ask) -> Most:
    """Return what a call may take at most: no token is less than a byte."""
    wire = to_wire(ask.messages)
    schema = json.dumps(ask.schema) if ask.schema else ""
    question = len((words_of(wire) + schema).encode("utf-8", "replace")) + FRAME * (len(wire) + 1)
    return Most(question, ask.most_tokens or 0)
