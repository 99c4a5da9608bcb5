"""Keeps an eval on workers within its budget: the process that follows counts what items cost."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from reasonloom.evals.core.budget import UNKNOWN_PRICE, BudgetReached, Spending
from reasonloom.evals.core.llm_calls import Attempt


@dataclass(slots=True)
class ItemBudget:
    """Lets items begin as long as the budget lasts; those that have begun end.

    Nobody knows beforehand what an item costs. So the first one is answered alone, and then as many
    at once as the rest of the budget covers if each costs as much as the dearest so far.
    """

    spending: Spending
    _dearest: tuple[float, float, float] | None = None
    _begun: int = 0
    _fewer: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def item(self) -> AsyncIterator[Callable[[Attempt, Mapping[str, float]], None]]:
        """Let an item begin; yields a function that books its usage.

        That takes the attempt, and the item's whole usage if an earlier attempt made some of its
        calls; else nothing.

        Raises:
            BudgetReached: nothing is left; nothing was enqueued.
        """
        while not self._covers(self._begun + 1):
            if reached := self._reached():
                raise reached
            await self._fewer.wait()
        self._begun += 1
        try:
            yield self._book
        finally:
            self._begun -= 1
            self._fewer.set()
            self._fewer = asyncio.Event()

    def _covers(self, items: int) -> bool:
        """Return whether so many items may be in progress; one may while anything is left."""
        if self._reached():
            return False
        if items == 1 or not any(limit is not None for _, limit, _ in self._limits()):
            return True
        if self._dearest is None:
            return False
        return all(
            limit is None or used + items * each <= limit
            for (_, limit, used), each in zip(self._limits(), self._dearest, strict=True)
        )

    def _limits(self) -> tuple[tuple[str, float | None, float], ...]:
        """Return each limit with what is used of it."""
        spent, budget = self.spending, self.spending.budget
        return (
            ("calls", budget.calls, spent.calls),
            ("tokens", budget.tokens, spent.tokens),
            ("usd", budget.usd, spent.usd),
        )

    def _reached(self) -> BudgetReached | None:
        for name, limit, used in self._limits():
            if limit is not None and used >= limit:
                return BudgetReached(
                    name,
                    f"the budget of {limit:g} {name} is used up ({used:.6g}); what workers had"
                    " begun was finished",
                )
        if self.spending.unpriced and self.spending.budget.usd is not None:
            return BudgetReached("usd", UNKNOWN_PRICE)
        return None

    def _book(self, attempt: Attempt, whole: Mapping[str, float]) -> None:
        sums = whole or attempt.usage()
        calls, usd = int(sums.get("calls", 0)), sums.get("usd", 0.0)
        tokens = int(sums.get("tokens_in", 0) + sums.get("tokens_out", 0))
        spent = self.spending
        spent.calls, spent.answers = spent.calls + calls, spent.answers + calls
        spent.tokens, spent.usd = spent.tokens + tokens, spent.usd + usd
        spent.unpriced |= any(each.cost_usd is None for each in attempt.usages)
        known = self._dearest or (0.0, 0.0, 0.0)
        self._dearest = max(known[0], calls), max(known[1], tokens), max(known[2], usd)
