"""Keeps a run within its budget: the estimated cost of a call is reserved before it starts.

Tokens of the prompt are estimated from its bytes, those of the answer by
`REASONLOOM_OUTPUT_TOKENS`, money by the provider's prices or, where these are unknown, by the
most expensive call of the run so far; of two models the dearer price counts. The real cost
replaces the estimate when the call ends.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.interfaces import Priced, Usage
from reasonloom.nodes.execution import Cost, Reservation
from reasonloom.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from reasonloom.nodes.execution import Execution
    from reasonloom.prompts.template import RenderedPrompt

USED_UP = "the run's budget of {limit:g} {what} is used up"
TOO_LITTLE = "the run's budget of {limit:g} {what} has {left:.6g} left of the {need:.6g} needed"
WITH_RESERVE = ", with what is put aside for a call that must follow"
LABEL_TOKENS = 20
"""Tokens of the label and name before an answer in a later prompt."""

WAY_OUT = "; raise REASONLOOM_BUDGET_{name} or ask for less"


@dataclass(frozen=True, slots=True)
class ReservePolicy:
    """How a call relates to a later one that must remain affordable: a ballot, a synthesis.

    Attributes:
        leave: the cost of the later call without the answers that it reads; this call starts only
            if that much remains. None: it starts anyway.
        read: the later call reads this one's answer.
        last: this is the later call itself, and uses what was set aside for it.
    """

    leave: Cost | None = None
    read: bool = False
    last: bool = False


NO_RESERVE = ReservePolicy()


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per call, per prompt token and per answer token."""

    call: float = 0.0
    token_in: float = 0.0
    token_out: float = 0.0

    def of(self, cost: Cost) -> float:
        """Return a cost in US dollars."""
        of_tokens = cost.tokens_in * self.token_in + cost.tokens_out * self.token_out
        return cost.calls * self.call + of_tokens


def cost_of(execution: Execution, prompt: RenderedPrompt) -> Cost:
    """Return the estimated cost of one call with this prompt."""
    schema = json.dumps(prompt.schema) if prompt.schema else ""
    tokens = estimate_tokens(prompt.system + prompt.user + schema)
    return Cost(1, tokens, execution.loom.settings.output_tokens)


@asynccontextmanager
async def reserve(execution: Execution, cost: Cost, policy: ReservePolicy) -> AsyncIterator[Settle]:
    """Reserve the cost of a call while it is made; yields a function that takes the real cost.

    If too little remains but calls are in flight that may cost less than estimated, it waits for
    them. A call counts from its start, whatever becomes of it.

    Raises:
        BudgetExceeded: too little remains; `limit` names what is short.
    """
    run = execution.run
    reservation = Reservation(cost, _reading_cost(cost.tokens_out) if policy.read else Cost())
    while lack := _shortfall(execution, reservation, policy, await _prices(execution)):
        if lack.limit == "calls" or not run.ledger.flying:
            raise lack
        if all(each.waiting for each in run.ledger.flying):
            interrupt("budget")  # asked once the replies to the others are here
        await run.ledger.changed.wait()
    if policy.last:
        run.ledger.again = Cost()
    run.spent.calls += cost.calls
    run.ledger.flying.append(reservation)
    try:
        yield lambda usage: _settle(execution, usage, policy)
    except GraphInterrupt:
        reservation.waiting = True
        raise
    finally:
        if not reservation.waiting:
            run.ledger.flying.remove(reservation)
        run.ledger.notify()


Settle = Callable[[Usage], None]


def _settle(execution: Execution, usage: Usage, policy: ReservePolicy) -> None:
    spent, ledger = execution.run.spent, execution.run.ledger
    usd = usage.cost_usd or 0.0
    spent.tokens += usage.tokens_in + usage.tokens_out
    spent.usd += usd
    ledger.dearest = max(ledger.dearest, usd)
    if policy.read:
        ledger.again += _reading_cost(usage.tokens_out)


def _reading_cost(tokens: int) -> Cost:
    """Return the cost of reading an answer of so many tokens in a later prompt."""
    return Cost(tokens_in=tokens + LABEL_TOKENS)


async def _prices(execution: Execution) -> Prices:
    """Return the greatest prices of the models that the run asks.

    Of a model without known prices, a call costs what the run's calls have cost so far.
    """
    loom, spent, ledger = execution.loom, execution.run.spent, execution.run.ledger
    llms = [loom.llm] if loom.judge is None else [loom.llm, loom.judge]
    known = [await llm.prices() if isinstance(llm, Priced) else None for llm in llms]
    of_tokens = [each for each in known if each is not None]
    per_call = max(ledger.dearest, spent.usd / spent.calls if spent.calls else 0.0)
    return Prices(
        call=per_call if None in known else 0.0,
        token_in=max((each[0] for each in of_tokens), default=0.0),
        token_out=max((each[1] for each in of_tokens), default=0.0),
    )


def _shortfall(
    execution: Execution, reservation: Reservation, policy: ReservePolicy, prices: Prices
) -> BudgetExceeded | None:
    """Return the limit that a call would exceed with all that is in flight, as an error."""
    limits, run = execution.loom.settings, execution.run
    flying = _sum([each.cost for each in run.ledger.flying])
    need = reservation.cost
    if policy.leave is not None:
        reading = [each.again for each in (*run.ledger.flying, reservation)]
        need = _sum([need, policy.leave, run.ledger.again, *reading])
    tokens, usd = run.spent.tokens + _tokens(flying), run.spent.usd + prices.of(flying)
    for what, limit, used, more in (
        ("calls", limits.budget_calls, run.spent.calls, need.calls),
        ("tokens", limits.budget_tokens, tokens, _tokens(need)),
        ("usd", limits.budget_usd, usd, prices.of(need)),
    ):
        if used >= limit or used + more > limit:
            return _exceeded(what, limit, limit - used, more, reserved=policy.leave is not None)
    return None


def _exceeded(
    what: str, limit: float, left: float, need: float, *, reserved: bool
) -> BudgetExceeded:
    template = USED_UP if left <= 0 else TOO_LITTLE + (WITH_RESERVE if reserved else "")
    message = template.format(limit=limit, what=what, left=left, need=need)
    return BudgetExceeded(message + WAY_OUT.format(name=what.upper()), limit=what)


def _sum(costs: list[Cost]) -> Cost:
    return sum(costs, Cost())


def _tokens(cost: Cost) -> int:
    return cost.tokens_in + cost.tokens_out
