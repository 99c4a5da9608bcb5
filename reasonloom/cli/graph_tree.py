"""Draws a Graph of Thoughts on a console: a tree by first parents, other parents by number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from rich.text import Text
from rich.tree import Tree

from reasonloom.nodes.sessions.picture import shortened

if TYPE_CHECKING:
    from reasonloom.nodes.thought_graph.graph import WholeGraph
    from reasonloom.stores.thought_graph.graph_nodes import NodeRow

LEGEND = "number  score  check  (dim: pruned or beaten)"
STYLES = {"root": "bold", "terminal": "bold green", "aggregation": "cyan", "refinement": "magenta"}
UNSCORED = " -- "


def drawn(graph: WholeGraph) -> Tree:
    """Return the graph as a tree that a console can print.

    A node with several parents hangs on the last of them, and names the others.
    """
    row = graph.row
    title = Text.assemble(
        ("graph ", "bold"), str(row.id), f"  {len(graph.nodes)} nodes, {len(graph.edges)} edges",
        "  finalized" if row.finalized_at else "", "\n", (LEGEND, "dim"),
    )  # fmt: skip
    tree = Tree(title, guide_style="dim")
    places: dict[UUID, Tree] = {}
    for node in graph.nodes:
        parents = sorted(graph.parents[node.id], key=lambda each: graph.by_id[each].number)
        there = [parent for parent in parents if parent in places]
        place = places[there[-1]] if there else tree
        places[node.id] = place.add(_node(graph, node, there[:-1]))
    return tree


def _node(graph: WholeGraph, node: NodeRow, others: list[UUID]) -> Text:
    dim = "" if node.is_active else "dim"
    score = UNSCORED if node.score is None else f"{node.score:.2f}"
    said = Text(f"{node.number:>3}  {score}  ", style=dim or "cyan")
    said.append(f"{node.check:<11}  ", style="dim")
    said.append(f"{node.node_type}  ", style=dim or STYLES.get(node.node_type, ""))
    said.append(shortened(node.content), style=dim)
    if others:
        numbers = ", ".join(str(graph.by_id[each].number) for each in others)
        said.append(f"  (also from {numbers})", style="dim")
    return said


def summed(answer: dict[str, Any], notes: list[str]) -> Text:
    """Return what a run came to, in a few lines."""
    score = "unscored" if answer["score"] is None else f"{answer['score']:.2f}"
    said = Text(f"\n{answer['content']}\n", style="bold")
    said.append(
        f"{score} by {answer['check']}; {answer['reason']}; llm {answer['llm']}\n", style=""
    )
    cost = f"{answer['calls']} calls, {answer['tokens']} tokens, ${answer['usd']:.4f}"
    said.append(f"{cost}; session {answer['session_id']}\n", style="dim")
    for note in (*notes, *([answer["suggestion"]] if "suggestion" in answer else [])):
        said.append(f"! {note}\n", style="yellow")
    return said
