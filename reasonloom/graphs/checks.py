"""The wiring of all checks: compute, look through the lenses at the same time, tell."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langgraph.graph import END, START, StateGraph

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.metacognition.checks import (
    ANSWER_NODE,
    ask_judge,
    begin_check,
    dispatch_judges,
)
from reasonloom.nodes.metacognition.judges import JUDGES
from reasonloom.nodes.metacognition.state import CheckInput, CheckState

WORDS = {"measure": "compute", "look": "look through lenses", ANSWER_NODE: "put together"}


def check(
    name: str,
    given_of: Callable[[dict[str, Any]], CheckInput],
    tell: Any,
    components: tuple[str, ...] | Callable[[dict[str, Any]], tuple[str, ...]],
) -> Graph:
    """Return the graph of one check; without a language model its steps are not saved."""

    def build() -> StateGraph[Any, Execution, Any, Any]:
        graph = StateGraph(CheckState, context_schema=Execution)
        graph.add_node("measure", begin_check(given_of))
        graph.add_node("look", ask_judge)
        graph.add_node(ANSWER_NODE, tell)
        graph.add_edge(START, "measure")
        graph.add_conditional_edges("measure", dispatch_judges, ["look", ANSWER_NODE])
        graph.add_edge("look", ANSWER_NODE)
        graph.add_edge(ANSWER_NODE, END)
        return graph

    def more_steps(request: dict[str, Any]) -> int:
        return sum(len(JUDGES[part]) for part in given_of(request)["parts"]) - 1

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
