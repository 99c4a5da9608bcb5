"""Carries a search to its end in this process, for tests and measurements."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from reasonloom.errors import InvalidArgument, ReasonloomError
from reasonloom.nodes.reasoning.tree_search.deduplication import Distance
from reasonloom.nodes.reasoning.tree_search.machine import absorb, finished, wanted
from reasonloom.nodes.reasoning.tree_search.state import State
from reasonloom.nodes.reasoning.tree_search.treesearch_orders import Order, Thought

Carrier = Callable[[Order], Awaitable[Mapping[str, Any]]]
Checker = Callable[[Thought], bool]


async def drive(
    state: State,
    generator: Carrier,
    judge: Carrier,
    *,
    concurrency: int = 4,
    checker: Checker | None = None,
    distance: Distance | None = None,
) -> State:
    """Return the search ended, with at most `concurrency` orders carried out at once.

    `generator` answers propose and sample, `judge` all else that is paid, `checker` checks that
    are not. What they raise is taken in as an order's failure.

    Raises:
        InvalidArgument: the settings say `check: function`, and there is no checker.
    """
    if checker is None and state["settings"]["check"] == "function":
        raise InvalidArgument("checker must be given where check is function", field="checker")
    gate = asyncio.Semaphore(concurrency)
    began = time.perf_counter() - state["elapsed"]

    async def carry_out(order: Order) -> Mapping[str, Any]:
        async with gate:
            result = await _result(order, generator, judge, checker)
        return {**result, "at": time.perf_counter() - began}

    while not finished(state):
        orders = wanted(state)
        for order, result in zip(
            orders, await asyncio.gather(*map(carry_out, orders)), strict=True
        ):
            state = absorb(state, order, result, distance)
    return state


async def _result(
    order: Order, generator: Carrier, judge: Carrier, checker: Checker | None
) -> Mapping[str, Any]:
    try:
        if checker and not order["paid"]:
            return {"verified": checker(order["thoughts"][0])}
        carrier = generator if order["kind"] in ("propose", "sample") else judge
        result = await carrier(order)
    except Exception as error:  # noqa: BLE001  # a carrier may raise anything; the search goes on
        told = error.message if isinstance(error, ReasonloomError) else type(error).__name__
        return {"error": told}
    return result if isinstance(result, Mapping) else {}
