"""Stores a world through the tools, and puts its claims to `memory_ground`."""

from __future__ import annotations

import time
from collections.abc import Mapping

from reasonloom.contracts.graph_memory.grounding import MemoryGround
from reasonloom.contracts.graph_memory.nodes import MemoryAdd
from reasonloom.evals.core.item import Answer
from reasonloom.evals.engine import called
from reasonloom.evals.suites.graph_memory.grounding.data import World
from reasonloom.graphs.runs.engine import Engine


async def store(engine: Engine, world: World) -> dict[int, str]:
    """Add a world's memories in their order, corrections with their edge; return node to id.

    Each world has an owner of its own, so that none knows of another.
    """
    nodes: dict[str, int] = {}
    for memory in world.memories:
        old = memory.supersedes
        edges = [{"target_id": nodes[old], "edge_type": "supersedes"}] if old else None
        arguments = {"event_type": memory.type, "content": memory.text, "edges": edges}
        given = {name: value for name, value in arguments.items() if value}
        answer = await called(engine, world.id, "memory_add", MemoryAdd, given)
        nodes[memory.id] = answer["node_id"]
    return {node: name for name, node in nodes.items()}


async def ask(engine: Engine, world: str, claim: str, names: Mapping[int, str]) -> Answer:
    """Ground a claim; the output is the status, whether it is contradicted, and the evidence."""
    started = time.perf_counter()
    answer = await called(engine, world, "memory_ground", MemoryGround, {"claim": claim})
    took = (time.perf_counter() - started) * 1000
    said = {
        "status": answer["status"],
        "contradicted": answer["contradicted"],
        "evidence": [names[each["node_id"]] for each in answer["evidence"]],
    }
    return Answer(said, latency_ms=took)
