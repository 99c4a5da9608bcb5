"""Fourth step of tree reasoning: the search takes in what its orders brought."""

from __future__ import annotations

from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.tree.state import Result, TreeState
from reasonloom.nodes.reasoning.tree_search.apart import Apart
from reasonloom.nodes.reasoning.tree_search.machine import absorb, wanted
from reasonloom.nodes.reasoning.tree_search.state import State
from reasonloom.nodes.similarity import likeness_of


async def take_in(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Give the search every result that it waits for."""
    search = cast("State", state["search"])
    by_key = {each["key"]: each["result"] for each in results_of(state)}
    came = [(order, by_key[order["key"]]) for order in wanted(search) if order["key"] in by_key]
    texts = [each["text"] for _, result in came for each in result.get("candidates", [])]
    likeness = await likeness_of(runtime.context.loom.embedder, texts)
    for order, result in came:
        search = absorb(search, order, result, Apart(likeness))
    return {"search": dict(search), "notes": likeness.notes}


def results_of(state: TreeState) -> list[Result]:
    """Return what came of the search at work, of all that came in the run."""
    number = state["trial"]["number"]
    return [each for each in state.get("results", []) if each["trial"] == number]
