"""Enforces the budget of a run by reserving the estimated cost of each call before it starts.

Prompt tokens are estimated from the size in bytes and answer tokens by `REASONLOOM_OUTPUT_TOKENS`.
Cost in dollars follows from the provider's prices or, if these are unknown, from the most expensive
call of the run so far; of two models the higher price applies. The actual cost replaces the
estimate when the call ends.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from langgraph.errors import GraphInterrupt
from langgraph.types import interrupt

from reasonloom.errors import BudgetExceeded
from reasonloom.llm.interfaces import Priced, Usage
from reasonloom.nodes.execution import Cost, Execution, Reservation
from reasonloom.prompts.template import RenderedPrompt
from reasonloom.text.tokens import estimate_tokens

USED_UP = "the run's budget of {limit:g} {what} is used up"
TOO_LITTLE = "the run's budget of {limit:g} {what} has {left:.6g} left of the {need:.6g} needed"
WITH_RESERVE = ", with what is put aside for a call that must follow"
LABEL_TOKENS = 20
"""Tokens of the label and name that precede an answer in a later prompt."""

WAY_OUT = "; raise REASONLOOM_BUDGET_{name} or ask for less"


@dataclass(frozen=True, slots=True)
class ReservePolicy:
    """How a call relates to a later one that must remain affordable: a ballot, a synthesis.

    Attributes:
        leave: the cost of the later call without the answers in its prompt; this call starts only
            if that much would remain. None: no reserve is required.
        read: whether the later call's prompt includes this call's answer.
        last: whether this is the later call itself, which uses the reserve.
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
        """Return the price of a cost, in US dollars."""
        of_tokens = cost.tokens_in * self.token_in + cost.tokens_out * self.token_out
        return cost.calls * self.call + of_tokens


def cost_of(execution: Execution, prompt: RenderedPrompt) -> Cost:
    """Return the estimated cost of one call with this prompt."""
    schema = json.dumps(prompt.schema) if prompt.schema else ""
    tokens = estimate_tokens(prompt.system + prompt.user + schema)
    return Cost(1, tokens, execution.loom.settings.output_tokens)


@asynccontextmanager
async def reserve(execution: Execution, cost: Cost, policy: ReservePolicy) -> AsyncIterator[Settle]:
    """Reserve the cost of a call for its duration; yields a function to settle the actual cost.

    If too little remains while calls are in flight, which may cost less than estimated, waits for
    them. A call counts towards the limit once it starts, even if it fails.

    Raises:
        BudgetExceeded: too little remains; `limit` names the exceeded limit.
    """
    run = execution.run
    reservation = Reservation(cost, _reading_cost(cost.tokens_out) if policy.read else Cost())
    while lack := _shortfall(execution, reservation, policy, await _prices(execution)):
        if lack.limit == "calls" or not run.ledger.flying:
            raise lack
        if all(each.waiting for each in run.ledger.flying):
            interrupt("budget")  # retried once the other replies have arrived
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
    """Return the cost of including an answer of `tokens` tokens in a later prompt."""
    return Cost(tokens_in=tokens + LABEL_TOKENS)


async def _prices(execution: Execution) -> Prices:
    """Return the highest prices among the models that the run uses.

    For a model without known prices, the price per call is the run's highest so far.
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
    """Return an error for the first limit that the call would exceed, given all calls in flight."""
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
