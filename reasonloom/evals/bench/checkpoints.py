"""Times saved steps of a small graph: without a saver, with LangGraph's in memory, with ours."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING, Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph

from reasonloom.evals.bench.environment import BenchEngine, own_thread
from reasonloom.evals.bench.timing import Figure, Work, summarise, time_each
from reasonloom.stores.saver import SavedSteps

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver

NODES = 5
STATE = "What must we tell the restaurant? " * 30
"""About a thousand characters, like a short answer."""


class SmallState(TypedDict, total=False):
    """The small graph's state."""

    text: str
    step: int


async def measure(ground: BenchEngine, times: int) -> list[Figure]:
    """Time the three in turn, under equal load; milliseconds per step."""
    steps = SavedSteps(ground.access)
    works = {
        "no saver": _walk(None),
        "saver in memory": _walk(InMemorySaver()),
        "our saver, Postgres": _walk(await steps.open()),
    }
    timed = await time_each(works, times)
    await steps.close()
    taken = {name: [took / NODES for took in each] for name, each in timed.items()}
    bare = taken.pop("no saver")
    figures = [summarise(f"one step of {NODES}, no saver", bare)]
    for name, each in taken.items():
        note = f"{median(each) - median(bare):.2f} ms more than bare"
        figures.append(summarise(f"one step of {NODES}, {name}", each, bare, note=note))
    return figures


def _walk(saver: BaseCheckpointSaver[Any] | None) -> Work:
    graph = StateGraph(SmallState)
    names = [f"step_{number}" for number in range(NODES)]
    for number, name in enumerate(names):
        graph.add_node(name, _Step(number))
    for one, other in zip([START, *names], names, strict=False):
        graph.add_edge(one, other)
    compiled = graph.compile(checkpointer=saver)

    async def run() -> None:
        given: Any = {"text": STATE}
        await compiled.ainvoke(given, own_thread(), durability="sync" if saver else None)

    return run


class _Step:
    """A node that does next to nothing."""

    def __init__(self, number: int) -> None:
        self._number = number

    async def __call__(self, state: SmallState) -> SmallState:
        return {"step": self._number, "text": f"{self._number}: {STATE}"}
