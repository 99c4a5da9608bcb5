"""Answers `memory_resolve`: the newest version of what a node says."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.nodes import MemoryResolve, MemoryResolved
from reasonloom.nodes.graph_memory.rendering import told
from reasonloom.nodes.graph_memory.versions import Versions, versions
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, supersession

MOST_CORRECTIONS = 20_000
MOST_LISTED = 500
BRANCHED = "corrections differ: {count} versions stand side by side, node {newest} is the newest"
CIRCLE = "corrections lead in a circle; the newest node by number, {newest}, is taken"
CUT = "more than {count} corrections; the newest version may lie further on"
CHAIN_CUT = "the chain has {count} nodes; the first {shown} and the last are listed"
BRANCHES_CUT = "there are {count} branches; the newest {shown} are listed"


async def memory_resolve(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Look over all corrections above the request's node, and take the newest."""
    execution = runtime.context
    request = MemoryResolve.model_validate(state["request"])
    async with execution.loom.database.begin(execution.caller, walking=True) as tx:
        await memory_nodes.require(tx, request.node_id, field="node_id")
        edges = await supersession.above(tx, request.node_id, most=MOST_CORRECTIONS + 1)
        found = versions(request.node_id, edges)
        latest = await memory_nodes.require(tx, found.newest, field="node_id")
    answer = MemoryResolved(
        original_id=request.node_id,
        resolved_id=found.newest,
        is_latest=found.newest == request.node_id,
        latest=told(latest),
        chain=_listed(found.chain),
        branches=found.heads[:MOST_LISTED],
        cycle=found.cycle,
    )
    notes = _notes(found, cut=len(edges) > MOST_CORRECTIONS)
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, [answer.latest])]}


def _listed(chain: list[int]) -> list[int]:
    """Return a chain without its middle where it is very long."""
    return chain if len(chain) <= MOST_LISTED else [*chain[: MOST_LISTED - 1], chain[-1]]


def _notes(found: Versions, *, cut: bool) -> list[str]:
    """Return what must be said of the versions found."""
    heads, links = len(found.heads), len(found.chain)
    said = (
        (heads > 1, BRANCHED.format(count=heads, newest=found.newest)),
        (found.cycle, CIRCLE.format(newest=found.newest)),
        (cut, CUT.format(count=MOST_CORRECTIONS)),
        (links > MOST_LISTED, CHAIN_CUT.format(count=links, shown=MOST_LISTED - 1)),
        (heads > MOST_LISTED, BRANCHES_CUT.format(count=heads, shown=MOST_LISTED)),
    )
    return [note for true, note in said if true]
