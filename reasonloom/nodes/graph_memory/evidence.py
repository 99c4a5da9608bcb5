"""Answers `memory_evidence`: what speaks of something, each node with its heaviest edges."""

from __future__ import annotations

from typing import Any, cast

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.grounding import EvidenceFound, EvidenceNode, MemoryEvidence
from reasonloom.contracts.graph_memory.shared import MemoryEdge
from reasonloom.contracts.memory.export_format import EdgeType
from reasonloom.nodes.graph_memory.near import near
from reasonloom.nodes.graph_memory.rendering import fields_of
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import evidence
from reasonloom.stores.graph_memory.evidence import EdgeRow

MOST_EDGES = 20
"""Edges that are shown of one node; a hub may have any number."""

MORE = "node {nodes} has more edges; the heaviest {most} are shown"
MORE_OF_MANY = "nodes {nodes} have more edges; the heaviest {most} of each are shown"


async def memory_evidence(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the current nodes nearest to the query, best first, with their edges."""
    execution = runtime.context
    request = MemoryEvidence.model_validate(state["request"])
    found = await near(execution, request.query, most=request.max_results)
    async with execution.loom.database.begin(execution.caller) as tx:
        edges = await evidence.edges_of(tx, [row.id for row, _ in found.rows], read=MOST_EDGES + 1)
    by_node: dict[int, list[EdgeRow]] = {}
    for edge in edges:
        by_node.setdefault(edge.node, []).append(edge)
    results = [
        EvidenceNode(
            **fields_of(row), score=score, edges=[_told(e) for e in _shown(by_node, row.id)]
        )
        for row, score in found.rows
    ]
    answer = EvidenceFound(results=results, count=len(results))
    notes = [*found.notes, *_cut(by_node), *warned(execution, results)]
    return {"answer": answer.wire(), "notes": notes}


def _shown(by_node: dict[int, list[EdgeRow]], node: int) -> list[EdgeRow]:
    return by_node.get(node, [])[:MOST_EDGES]


def _told(edge: EdgeRow) -> MemoryEdge:
    return MemoryEdge(
        source_id=edge.source_id,
        target_id=edge.target_id,
        edge_type=cast("EdgeType", edge.kind),
        weight=edge.weight,
        reason=edge.reason,
    )


def _cut(by_node: dict[int, list[EdgeRow]]) -> list[str]:
    many = [str(node) for node, edges in by_node.items() if len(edges) > MOST_EDGES]
    if not many:
        return []
    told = MORE if len(many) == 1 else MORE_OF_MANY
    return [told.format(nodes=", ".join(many), most=MOST_EDGES)]
