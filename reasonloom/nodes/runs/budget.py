"""Keeps a run within its budget: what a call may cost at most is held before it starts.

What is held is an estimate: tokens of the prompt by its bytes, those of the answer by
`REASONLOOM_OUTPUT_TOKENS`, money by the provider's prices; where it knows none, by the dearest
call of the run so far. What the call really took replaces it when it ends.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.port import Priced, Usage
from reasonloom.nodes.loom import Cost, Reservation
from reasonloom.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.prompts.template import RenderedPrompt

USED_UP = "the run's budget of {limit:g} {what} is used up"
TOO_LITTLE = "the run's budget of {limit:g} {what} has {left:.6g} left of the {need:.6g} needed"
WITH_RESERVE = ", with what is put aside for a call that must follow"
LABEL_TOKENS = 20
"""Tokens for the label and the name that stand before an answer in a later prompt."""

WAY_OUT = "; raise REASONLOOM_BUDGET_{name} or ask for less"


@dataclass(frozen=True, slots=True)
class ReservePolicy:
    """How a call stands to a later one that is to remain possible: a ballot, a synthesis.

    Attributes:
        leave: what the later call takes besides the answers that it reads; this call starts
            only where that much is left. None: it starts all the same.
        read: the later call reads this one's answer.
        last: this is the later call itself, and takes what was put aside for it.
    """

    leave: Cost | None = None
    read: bool = False
    last: bool = False


NO_RESERVE = ReservePolicy()


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars for a call, for a token of its prompt, and for one of its answer."""

    call: float = 0.0
    token_in: float = 0.0
    token_out: float = 0.0

    def of(self, cost: Cost) -> float:
        """Return what a cost is in US dollars."""
        of_tokens = cost.tokens_in * self.token_in + cost.tokens_out * self.token_out
        return cost.calls * self.call + of_tokens


def cost_of(execution: Execution, prompt: RenderedPrompt) -> Cost:
    """Return what one call with this prompt may cost."""
    schema = json.dumps(prompt.schema) if prompt.schema else ""
    tokens = estimate_tokens(prompt.system + prompt.user + schema)
    return Cost(1, tokens, execution.loom.settings.output_tokens)


@asynccontextmanager
async def reserve(execution: Execution, cost: Cost, aside: ReservePolicy) -> AsyncIterator[Settle]:
    """Hold what a call may cost while it is made; what is yielded takes what it has cost.

    Where too little is left, but calls are in flight that may come cheaper than expected, it
    waits for these. The call counts from its beginning, whatever becomes of it.

    Raises:
        BudgetExceeded: too little is left; `limit` says of what.
    """
    run = execution.run
    hold = Reservation(cost, _reading_cost(cost.tokens_out) if aside.read else Cost())
    while lack := _shortfall(execution, hold, aside, await _prices(execution)):
        if lack.limit == "calls" or not run.ledger.flying:
            raise lack
        await run.ledger.changed.wait()
    if aside.last:
        run.ledger.again = Cost()
    run.spent.calls += cost.calls
    run.ledger.flying.append(hold)
    try:
        yield lambda usage: _settle(execution, usage, aside)
    finally:
        run.ledger.flying.remove(hold)
        run.ledger.tell()


Settle = Callable[[Usage], None]


def _settle(execution: Execution, usage: Usage, aside: ReservePolicy) -> None:
    spent, ledger = execution.run.spent, execution.run.ledger
    usd = usage.cost_usd or 0.0
    spent.tokens += usage.tokens_in + usage.tokens_out
    spent.usd += usd
    ledger.dearest = max(ledger.dearest, usd)
    if aside.read:
        ledger.again += _reading_cost(usage.tokens_out)


def _reading_cost(tokens: int) -> Cost:
    """Return what it takes to read an answer of so many tokens in a later prompt."""
    return Cost(tokens_in=tokens + LABEL_TOKENS)


async def _prices(execution: Execution) -> Prices:
    """Return what calls and tokens cost: as the provider says, else as calls have cost so far."""
    llm, spent, ledger = execution.loom.llm, execution.run.spent, execution.run.ledger
    known = await llm.prices() if isinstance(llm, Priced) else None
    if known is not None:
        return Prices(token_in=known[0], token_out=known[1])
    return Prices(call=max(ledger.dearest, spent.usd / spent.calls if spent.calls else 0.0))


def _shortfall(
    execution: Execution, hold: Reservation, aside: ReservePolicy, prices: Prices
) -> BudgetExceeded | None:
    """Return the limit that a call would pass with all that is in flight, as an error."""
    limits, run = execution.loom.settings, execution.run
    flying = _sum([each.cost for each in run.ledger.flying])
    need = hold.cost
    if aside.leave is not None:
        again = [each.again for each in (*run.ledger.flying, hold)]
        need = _sum([need, aside.leave, run.ledger.again, *again])
    tokens, usd = run.spent.tokens + _tokens(flying), run.spent.usd + prices.of(flying)
    for what, limit, used, more in (
        ("calls", limits.budget_calls, run.spent.calls, need.calls),
        ("tokens", limits.budget_tokens, tokens, _tokens(need)),
        ("usd", limits.budget_usd, usd, prices.of(need)),
    ):
        if used >= limit or used + more > limit:
            return _exceeded(what, limit, limit - used, more, kept=aside.leave is not None)
    return None


def _exceeded(what: str, limit: float, left: float, need: float, *, kept: bool) -> BudgetExceeded:
    told = USED_UP if left <= 0 else TOO_LITTLE + (WITH_RESERVE if kept else "")
    message = told.format(limit=limit, what=what, left=left, need=need)
    return BudgetExceeded(message + WAY_OUT.format(name=what.upper()), limit=what)


def _sum(costs: list[Cost]) -> Cost:
    return sum(costs, Cost())


def _tokens(cost: Cost) -> int:
    return cost.tokens_in + cost.tokens_out
