"""A write that the database gives up, because two waited for each other, is made again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from langgraph.runtime import Runtime

from reasonloom.contracts.caller import Caller
from reasonloom.errors import DatabaseUnavailable, Deadlocked
from reasonloom.graphs.graph import Graph
from reasonloom.graphs.runs.engine import TRIES, Engine
from reasonloom.graphs.runs.graphs_call import Call
from reasonloom.graphs.single import single
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState

Node = Callable[[ToolState, Runtime[Execution]], Awaitable[dict[str, Any]]]


def failing(times: int, error: type[DatabaseUnavailable]) -> tuple[Node, list[int]]:
    tried: list[int] = []

    async def node(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
        tried.append(len(tried))
        if len(tried) <= times:
            raise error("the database did not answer")
        return {"answer": {"tried": len(tried)}, "notes": []}

    return node, tried


async def answered(engine: Engine, name: str, node: Node) -> dict[str, Any]:
    graph = Graph(name, 1, single(name, node))
    return (await engine.call(Call(name, graph, {}, Caller("local")))).answer


async def test_a_write_that_was_given_up_is_made_again(engine: Engine) -> None:
    node, _ = failing(TRIES - 1, Deadlocked)
    assert await answered(engine, "given_up", node) == {"tried": TRIES}


async def test_it_is_not_made_for_ever(engine: Engine) -> None:
    node, tried = failing(TRIES, Deadlocked)
    with pytest.raises(DatabaseUnavailable):
        await answered(engine, "given_up_for_good", node)
    assert len(tried) == TRIES


async def test_a_database_that_is_away_is_not_asked_again(engine: Engine) -> None:
    node, tried = failing(1, DatabaseUnavailable)
    with pytest.raises(DatabaseUnavailable):
        await answered(engine, "away", node)
    assert len(tried) == 1
