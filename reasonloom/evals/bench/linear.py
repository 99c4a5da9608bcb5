"""`reasoning_linear` with an instant llm, against a bare graph with the same Postgres saver."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict
from uuid import uuid4

from langgraph.graph import END, START, StateGraph

from reasonloom.evals.bench.environment import OWNER, Ground
from reasonloom.evals.bench.timing import Figure, Work, in_turn, median, percentile_95
from reasonloom.stores.saver import SavedSteps, saving_for

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig

GOAL = 3.0
THOUGHT = "What must we tell the restaurant?"


class BareState(TypedDict, total=False):
    """The bare graph's state."""

    question: dict[str, Any]
    answer: dict[str, Any]


async def measure(ground: Ground, times: int) -> list[Figure]:
    """Time both graphs in turn, at the node and on one database."""
    steps = SavedSteps(ground.access.app)
    bare = await _bare(steps)

    async def ours() -> None:
        await ground.call("reasoning_linear", content=THOUGHT)

    floor, own = await in_turn(bare, ours, times)
    await steps.close()
    said = "floor: a bare two-node graph, same saver; three steps saved by it, four by ours"
    name = "reasoning_linear, instant llm"
    return [Figure(name, median(own), percentile_95(own), median(floor), GOAL, said)]


async def _bare(steps: SavedSteps) -> Work:
    async def think(state: BareState) -> BareState:
        return {"answer": {"thought": "It follows from the facts."}}

    async def keep(state: BareState) -> BareState:
        return {"answer": {**state["answer"], "kept": True}}

    graph = StateGraph(BareState)
    graph.add_node("think", think)
    graph.add_node("keep", keep)
    graph.add_edge(START, "think")
    graph.add_edge("think", "keep")
    graph.add_edge("keep", END)
    compiled = graph.compile(checkpointer=await steps.open())

    async def run() -> None:
        saving_for.set(OWNER)
        config: RunnableConfig = {"configurable": {"thread_id": f"{OWNER}/{uuid4()}"}}
        question: Any = {"question": {"content": THOUGHT}}
        await compiled.ainvoke(question, config, durability="sync")

    return run
