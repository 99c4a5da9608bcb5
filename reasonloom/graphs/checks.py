"""The wiring of all checks: compute, look through the lenses at the same time, tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.metacognition.checks import measuring
from reasonloom.nodes.metacognition.judges import LENSES
from reasonloom.nodes.metacognition.look import TELL, look, to_look
from reasonloom.nodes.metacognition.state import CheckState, Given

WORDS = {"measure": "compute", "look": "look through lenses", TELL: "put together"}


def check(
    name: str,
    given_of: Callable[[dict[str, Any]], Given],
    tell: Any,
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]],
) -> Graph:
    """Return the graph of one check; without a language model its steps are not saved."""

    def build() -> StateGraph[Any, Execution, Any, Any]:
        graph = StateGraph(CheckState, context_schema=Execution)
        graph.add_node("measure", measuring(given_of))
        graph.add_node("look", look)
        graph.add_node(TELL, tell)
        graph.add_edge(START, "measure")
        graph.add_conditional_edges("measure", to_look, ["look", TELL])
        graph.add_edge("look", TELL)
        graph.add_edge(TELL, END)
        return graph

    def more_steps(request: dict[str, Any]) -> int:
        return sum(len(LENSES[part]) for part in given_of(request)["parts"]) - 1

    return Graph(
        name,
        1,
        build,
        saved=True,
        saved_offline=False,
        components=components,
        of_llm=("languageModel",),
        more_steps=more_steps,
        words=WORDS,
    )
