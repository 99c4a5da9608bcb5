"""Keeps a run within its budget by reserving each call's upper bound beforehand."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from reasonloom.errors import InvalidArgument
from reasonloom.llm.interfaces import LanguageModel, Priced, Usage

UNKNOWN_PRICE = "the price of this language model is unknown, so a budget in usd cannot be enforced"


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a run; None for unlimited. Tokens are input plus output."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None

    def __post_init__(self) -> None:
        for name, limit in (("calls", self.calls), ("tokens", self.tokens), ("usd", self.usd)):
            if limit is not None and not limit > 0:
                raise InvalidArgument(f"{name}: must be more than 0", field=name)


class BudgetReached(Exception):
    """No budget is left for another call; `limit` is calls, tokens or usd."""

    def __init__(self, limit: str, why: str) -> None:
        super().__init__(why)
        self.limit, self.why = limit, why


@dataclass(slots=True)
class Spending:
    """What a run has spent, and the reservations of calls in flight.

    `calls` counts the calls started; `tokens` and `usd` are those of the `answers` replies
    received. `dearest` is the highest cost of one reply, `unpriced` whether one had no known price.
    """

    budget: Budget
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    answers: int = 0
    dearest: float = 0.0
    unpriced: bool = False
    _flying: list[tuple[int, float]] = field(default_factory=list)
    _less: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def held(
        self, llm: LanguageModel, tokens_in: int, tokens_out: int
    ) -> AsyncIterator[Callable[[Usage], None]]:
        """Reserve the most tokens of a call while it runs; yields a function that books its usage.

        If the rest of the budget is too small, waits for calls in flight, which may cost less than
        reserved; otherwise raises BudgetReached before anything is called.
        """
        tokens, usd = tokens_in + tokens_out, await self._price(llm, tokens_in, tokens_out)
        while lack := self._lack(tokens, usd):
            if lack.limit == "calls" or not self._flying:
                raise lack
            await self._less.wait()
        self.calls += 1
        hold = (tokens, usd)
        self._flying.append(hold)
        try:
            yield self._settle
        finally:
            self._flying.remove(hold)
            self._less.set()
            self._less = asyncio.Event()

    async def _price(self, llm: LanguageModel, tokens_in: int, tokens_out: int) -> float:
        """Return a call's maximum cost; without known prices, the highest so far.

        Without known prices, other calls wait until the first one has been answered.
        """
        if self.budget.usd is None:
            return 0.0
        known = await llm.prices() if isinstance(llm, Priced) else None
        if known is not None:
            return known[0] * tokens_in + known[1] * tokens_out
        while self._flying and not self.answers:
            await self._less.wait()
        if self.unpriced:
            raise BudgetReached("usd", UNKNOWN_PRICE)
        return self.dearest

    def _lack(self, tokens: int, usd: float) -> BudgetReached | None:
        flying_tokens = sum(each[0] for each in self._flying)
        flying_usd = sum(each[1] for each in self._flying)
        for name, limit, used, more in (
            ("calls", self.budget.calls, self.calls, 1),
            ("tokens", self.budget.tokens, self.tokens + flying_tokens, tokens),
            ("usd", self.budget.usd, self.usd + flying_usd, usd),
        ):
            if limit is not None and (used >= limit or used + more > limit):
                left = max(limit - used, 0)
                return BudgetReached(
                    name,
                    f"the budget of {limit:g} {name} has {left:.6g} left, and a call may take"
                    f" {more:.6g}",
                )
        return None

    def _settle(self, usage: Usage) -> None:
        if usage.cost_usd is None and self.budget.usd is not None:
            self.unpriced = True
            raise BudgetReached("usd", UNKNOWN_PRICE)
        self.answers += 1
        self.tokens += usage.tokens_in + usage.tokens_out
        self.usd += usage.cost_usd or 0.0
        self.dearest = max(self.dearest, usage.cost_usd or 0.0)
