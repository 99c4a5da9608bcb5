"""Answers `memory_add`: a node and its edges, all or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.nodes import MemoryAdd, MemoryAdded, NewEdge
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.graph_memory.persistence import Draft, keep, prepared
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, memory_sessions
from reasonloom.stores.memory import memories

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

ORIGIN = "memory_add"
TO_ITSELF = "an edge from node {node_id} to itself was left out"
SAID_BEFORE = "the same was stored before: node {node_id} was strengthened"


async def memory_add(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's node in the current session, and draw its edges."""
    execution = runtime.context
    request = MemoryAdd.model_validate(state["request"])
    wanted = _wanted(request.edges or [])
    corrects = any(edge.edge_type == "supersedes" for _, edge in wanted)
    draft = Draft(
        request.content, request.event_type, request.confidence, "node", merges=not corrects
    )
    made = await prepared(execution, draft)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        await memory_nodes.require_all(
            tx, {edge.target_id: f"edges.{place}.target_id" for place, edge in wanted}
        )
        kept = await keep(tx, execution, made, session)
        created = await _drawn(tx, execution, kept.node_id, [edge for _, edge in wanted])
        answer = MemoryAdded(
            node_id=kept.node_id,
            event_type=request.event_type,
            edges_created=created,
            session_id=session.number,
            deduplicated=kept.merged,
        )
        merged = [SAID_BEFORE.format(node_id=kept.node_id)] if kept.merged else []
        if any(edge.target_id == kept.node_id for _, edge in wanted):
            merged.append(TO_ITSELF.format(node_id=kept.node_id))
        return await finish(
            tx, execution, answer, notes=[*made.notes, *merged], session_id=session.id
        )


def _wanted(edges: list[NewEdge]) -> list[tuple[int, NewEdge]]:
    """Return the edges with their places.

    Raises:
        InvalidArgument: two are the same but for their weight.
    """
    seen: set[tuple[int, str]] = set()
    for place, edge in enumerate(edges):
        name = (edge.target_id, edge.edge_type)
        if name in seen:
            where = f"edges.{place}"
            raise InvalidArgument(
                f"{where}: there is one {edge.edge_type} to {edge.target_id} already; "
                "name each edge once",
                field=where,
            )
        seen.add(name)
    return list(enumerate(edges))


async def _drawn(tx: Transaction, execution: Execution, node_id: int, edges: list[NewEdge]) -> int:
    """Draw edges from the new node; return how many are new."""
    by_kind: dict[str, dict[int, float]] = {}
    for edge in edges:
        by_kind.setdefault(edge.edge_type, {})[edge.target_id] = edge.weight
    return sum(
        [
            await memories.link(
                tx, node_id, targets, kind=kind, origin=ORIGIN, run_id=execution.run.id
            )
            for kind, targets in by_kind.items()
        ]
    )
