"""Breaking a problem down: recall, divide level by level at once, relate the branches, keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.thinking.breakdown.answer import persist_breakdown
from reasonloom.nodes.thinking.breakdown.dependencies import relate
from reasonloom.nodes.thinking.breakdown.grow import (
    dispatch_splits,
    divide_offline,
    grow,
    recall_context,
)
from reasonloom.nodes.thinking.breakdown.split import split_problem
from reasonloom.nodes.thinking.breakdown.state import BreakdownState, SplitTask

LEVEL = ["split_problem", "relate"]


def first_level(state: BreakdownState, runtime: Runtime[Execution]) -> list[Send] | str:
    """Divide the whole problem: by the language model, else by its words."""
    return "divide" if runtime.context.loom.llm.offline else next_level(state)


def next_level(state: BreakdownState) -> list[Send] | str:
    """Divide all problems of the next level at once; without one, relate the branches."""
    return dispatch_splits(state) or "relate"


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of breaking down."""
    graph = StateGraph(BreakdownState, context_schema=Execution)
    graph.add_node("recall_context", recall_context)
    graph.add_node("split_problem", split_problem, input_schema=SplitTask)
    graph.add_node("grow", grow)
    graph.add_node("divide", divide_offline)
    graph.add_node("relate", relate)
    graph.add_node("keep_breakdown", persist_breakdown)
    graph.add_edge(START, "recall_context")
    graph.add_conditional_edges("recall_context", first_level, ["divide", *LEVEL])
    graph.add_edge("split_problem", "grow")
    graph.add_conditional_edges("grow", next_level, LEVEL)
    graph.add_edge("divide", "relate")
    graph.add_edge("relate", "keep_breakdown")
    graph.add_edge("keep_breakdown", END)
    return graph


def more_steps(request: dict[str, Any]) -> int | None:
    """Return nothing: how many problems there will be nobody knows."""


GRAPH = Graph(
    "breakdown",
    1,
    build,
    saved=True,
    writes=True,
    components=("problemDecomposer", "dependencyMapper", "executionPlanner", "memoryRepository"),
    of_llm=("languageModel",),
    more_steps=more_steps,
    words={
        "split_problem": "divide a problem",
        "grow": "take up the parts",
        "divide": "divide by words",
        "relate": "find what depends on what",
    },
)
"""The problems of a level are tasks of one step: those that have ended are not divided again."""
