"""The same search in a graph's saved state and in the driver: the engine changes nothing."""

from __future__ import annotations

from operator import add
from pathlib import Path
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.evals.simulated.game24.model import Game24Model
from reasonloom.evals.suites.reasoning.orchestration.catalog import Choices
from reasonloom.evals.suites.reasoning.orchestration.game24 import items
from reasonloom.evals.suites.reasoning.orchestration.game24_search import (
    Search,
    ThoughtRunner,
    run_search,
    searches,
)
from reasonloom.evals.suites.reasoning.orchestration.metering import MeteredModel
from reasonloom.nodes.reasoning.tree_search.machine import absorb, begin_search, open_orders
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.state import State

FALL = "2.propose."


class Held(TypedDict):
    search: State
    results: Annotated[list[Any], add]


def carrier(puzzle: str, search: Search) -> ThoughtRunner:
    meter = MeteredModel(Game24Model(seed=3))
    return ThoughtRunner(meter, puzzle, search.judged, checked=search.checked)


async def engine(puzzle: str, search: Search) -> tuple[State, int]:
    """Search in a graph that falls once, each order a task; return the search and its falls."""
    carrying, falls = carrier(puzzle, search), [0]

    async def carry_out(state: Order) -> dict[str, Any]:
        if state["key"].startswith(FALL) and not falls[0]:
            falls[0] += 1
            raise ConnectionError(state["key"])
        if not state["paid"]:
            return {"results": [(state, {"verified": carrying.proves(state["thoughts"][0])})]}
        carry = carrying.generate if state["kind"] == "propose" else carrying.judge
        return {"results": [(state, dict(await carry(state)))]}

    def take_in(state: Held) -> dict[str, Any]:
        after = state["search"]
        for order, result in reversed(state["results"]):
            after = absorb(after, order, result)
        return {"search": after}

    def next_orders(state: Held) -> Any:
        return [Send("carry_out", order) for order in open_orders(state["search"])] or END

    graph = StateGraph(Held)
    graph.add_node("carry_out", carry_out, input_schema=Order)
    graph.add_node("take_in", take_in)
    graph.add_conditional_edges(START, next_orders, ["carry_out", END])
    graph.add_edge("carry_out", "take_in")
    graph.add_conditional_edges("take_in", next_orders, ["carry_out", END])
    compiled = graph.compile(checkpointer=InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": 1_000}

    given: Any = {"search": begin_search(puzzle, search.settings), "results": []}
    with pytest.raises(ConnectionError):
        await compiled.ainvoke(given, config)
    held = await compiled.ainvoke(None, config)
    return held["search"], falls[0]


@pytest.mark.parametrize("name", ["tree-5", "best-first"])
async def test_a_search_in_the_engine_is_that_of_the_driver(puzzles: Path, name: str) -> None:
    search = searches(calls=120)[name]
    for item in items(Choices(puzzles))[0][40:43]:
        alone = await run_search(carrier(item.problem, search), search.settings, 1)
        found, falls = await engine(item.problem, search)
        assert falls == 1
        clocks = {"elapsed": 0.0}
        assert {**found, **clocks} == {**alone, **clocks}
