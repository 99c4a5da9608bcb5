"""Carries out a plan in one process, without saved steps: for evals and experiments."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from reasonloom.contracts.thought_graph.plans import Plan
from reasonloom.errors import ReasonloomError
from reasonloom.nodes.thought_graph.operations.machine import absorb, begin, finished, wanted
from reasonloom.nodes.thought_graph.operations.orders import Order
from reasonloom.nodes.thought_graph.operations.state import State
from reasonloom.nodes.thought_graph.operations.task import Task

Carrier = Callable[[Order], Awaitable[Mapping[str, Any]]]
"""Carries out one order; the result is as `results.read` takes it."""


async def drive(
    plan: Plan, problem: str, task: Task, carrier: Carrier, *, concurrency: int = 8
) -> State:
    """Return the plan's state when it has ended; an order whose carrier raises is a fault."""
    gate, began = asyncio.Semaphore(concurrency), time.perf_counter()

    async def carry_out(order: Order) -> Mapping[str, Any]:
        async with gate:
            result = await _result(order, carrier)
        return {**result, "at": time.perf_counter() - began}

    state = begin(plan, problem, task)
    while not finished(state):
        orders = wanted(state)
        came = await asyncio.gather(*map(carry_out, orders))
        keys = (order["key"] for order in orders)
        state = absorb(state, dict(zip(keys, came, strict=True)), task)
    return state


async def _result(order: Order, carrier: Carrier) -> Mapping[str, Any]:
    try:
        return await carrier(order)
    except Exception as error:  # noqa: BLE001  # a carrier may raise anything; the plan goes on
        told = error.message if isinstance(error, ReasonloomError) else type(error).__name__
        return {"error": told}
