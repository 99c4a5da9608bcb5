"""Tree reasoning: propose approaches, follow all at once, judge blind, recommend, keep."""

from __future__ import annotations

from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from reasonloom.contracts.reasoning.tree import ReasoningTree
from reasonloom.graphs.graph import Graph
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.tree.explore import absorb_results, explore_branch, judge_branches
from reasonloom.nodes.reasoning.tree.persist import persist_tree
from reasonloom.nodes.reasoning.tree.propose import BALLOTS, gather_context, propose_approaches
from reasonloom.nodes.reasoning.tree.recommend import recommend
from reasonloom.nodes.reasoning.tree.state import TreeState, TreeTask, is_enough, tasks

NODES = {"sample": "explore_branch", "vote": "judge_branches"}


def orders(state: TreeState) -> list[Send] | str:
    """Send each order that the search wants to a task of its own, or go on without any."""
    sent = [Send(NODES[task["order"]["kind"]], task) for task in tasks(state)]
    return sent or "recommend"


def after_recommending(state: TreeState) -> list[Send] | str:
    """Keep what was found, try once more, or begin a search anew of which nothing came."""
    if tasks(state):
        return orders(state)
    return "keep_tree" if is_enough(state) else "propose_approaches"


def build() -> StateGraph[Any, Execution, Any, Any]:
    """Return the wiring of tree reasoning."""
    carriers = list(NODES.values())
    graph = StateGraph(TreeState, context_schema=Execution)
    graph.add_node("gather_context", gather_context)
    graph.add_node("propose_approaches", propose_approaches)
    graph.add_node("explore_branch", explore_branch, input_schema=TreeTask)
    graph.add_node("judge_branches", judge_branches, input_schema=TreeTask)
    graph.add_node("take_in", absorb_results)
    graph.add_node("recommend", recommend)
    graph.add_node("keep_tree", persist_tree)
    graph.add_edge(START, "gather_context")
    graph.add_edge("gather_context", "propose_approaches")
    graph.add_conditional_edges("propose_approaches", orders, ["explore_branch", "recommend"])
    for carrier in carriers:
        graph.add_edge(carrier, "take_in")
    graph.add_conditional_edges("take_in", orders, [*carriers, "recommend"])
    graph.add_conditional_edges(
        "recommend", after_recommending, ["explore_branch", "propose_approaches", "keep_tree"]
    )
    graph.add_edge("keep_tree", END)
    return graph


def more_steps(request: dict[str, Any]) -> int:
    """Return the further steps: each approach and each ballot is one, and taken in twice."""
    return ReasoningTree.model_validate(request).max_branches - 1 + BALLOTS


GRAPH = Graph(
    "tree",
    1,
    build,
    saved=True,
    writes=True,
    more_steps=more_steps,
    words={"take_in": "take in what came"},
)
