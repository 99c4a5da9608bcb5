"""A search in a graph's saved state: an order a task, taken up again after a fall."""

from __future__ import annotations

from collections import Counter
from operator import add
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.nodes.reasoning.tree_search.machine import absorb, begin_search, open_orders
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from reasonloom.nodes.reasoning.tree_search.state import State
from tests.nodes.reasoning.tree_search.worlds import chaos, search

SETTINGS: dict[str, Any] = {"controller": "beam", "width": 3, "judgements": 2}


class Held(TypedDict):
    search: State
    results: Annotated[list[Any], add]


def test_a_search_in_a_graph_falls_gets_up_and_ends_the_same() -> None:
    carried: Counter[str] = Counter()
    falls = ["1.propose.0.0", "2.value.8.1", "3.propose.8.0"]

    def carry_out(state: Order) -> dict[str, Any]:
        carried[state["key"]] += 1
        if state["key"] in falls:
            falls.remove(state["key"])
            raise ConnectionError(state["key"])
        return {"results": [(state, chaos(1)(state))]}

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
    config: RunnableConfig = {"configurable": {"thread_id": "1"}, "recursion_limit": 100}

    given: Any = {"search": begin_search("?", SearchSettings(**SETTINGS)), "results": []}
    for _ in range(3):
        with pytest.raises(ConnectionError):
            compiled.invoke(given, config)
        given = None
    held = compiled.invoke(None, config)

    assert held["search"] == search(chaos(1), "?", **SETTINGS)
    again = {key.rsplit(".", 2)[0] for key, times in carried.items() if times > 1}
    assert again == {"1.propose", "2.value", "3.propose"}
