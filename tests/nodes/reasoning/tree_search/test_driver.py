"""The driver: as many at once as allowed, failures taken in, the same end as one by one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pytest

from reasonloom.errors import InvalidArgument, TimedOut
from reasonloom.nodes.reasoning.tree_search.budget import best_so_far
from reasonloom.nodes.reasoning.tree_search.machine import begin_search, run_search
from reasonloom.nodes.reasoning.tree_search.orders import Order
from reasonloom.nodes.reasoning.tree_search.settings import SearchSettings
from tests.nodes.reasoning.tree_search.worlds import grown, search


async def test_a_driven_search_ends_as_one_done_by_hand() -> None:
    tree = grown(5, admissible=False)
    running, most = 0, 0

    async def carry_out(order: Order) -> Any:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001 * (len(order["key"]) % 3))
        running -= 1
        return tree.answer(order)

    settings = SearchSettings(controller="beam", width=3, depth=9)
    state = await run_search(begin_search("r", settings), carry_out, carry_out, concurrency=2)
    by_hand = search(tree.answer, controller="beam", width=3, depth=9)
    assert state["nodes"] == by_hand["nodes"]
    assert most == 2
    assert state["elapsed"] > 0


async def test_what_is_raised_is_a_failed_order_and_tells_nothing_of_its_insides() -> None:
    async def generator(order: Order) -> Any:
        if order["sample"] == 0:
            raise TimedOut("the language model did not answer in time")
        if order["sample"] == 1:
            raise RuntimeError("/etc/secret")
        return {"candidates": [f"thought {order['sample']}"]}

    async def judge(order: Order) -> Any:
        return {"values": [0.5]}

    settings = SearchSettings(generate="sample", depth=1)
    state = await run_search(begin_search("?", settings), generator, judge)
    assert [node["text"] for node in state["nodes"][1:]] == ["thought 2", "thought 3"]
    assert state["nodes"][0]["fault"] == "RuntimeError"


async def test_a_plain_function_proves() -> None:
    async def generator(order: Order) -> Any:
        return {"candidates": ["3", "4"]}

    settings = SearchSettings(depth=1, check="function")
    state = begin_search("2 + 2", settings)
    state = await run_search(state, generator, generator, checker=lambda it: it["text"] == "4")
    assert best_so_far(state)["verified"]
    with pytest.raises(InvalidArgument, match="checker"):
        await run_search(begin_search("2 + 2", settings), generator, generator)


def test_the_searcher_needs_neither_graph_nor_store_nor_language_model() -> None:
    heavy = "langgraph|langchain_core|sqlalchemy|litellm|pydantic|reasonloom.stores|reasonloom.llm"
    code = (
        "import sys; from reasonloom.nodes.reasoning.tree_search import budget, machine\n"
        f"print([name for name in '{heavy}'.split('|') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
