"""Stores a world through the tools, and puts its claims to `memory_ground`."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from reasonloom.contracts.base import Request
from reasonloom.contracts.caller import Caller
from reasonloom.contracts.door import read
from reasonloom.contracts.graph_memory.grounding import MemoryGround
from reasonloom.contracts.graph_memory.writing import MemoryAdd
from reasonloom.evals.grounding.data import Claim, World
from reasonloom.evals.log import Record
from reasonloom.graphs.call import Call
from reasonloom.graphs.engine import Engine
from reasonloom.graphs.graph import load_graph

OWNER = "eval"
CONTRACTS: Mapping[str, type[Request]] = {"memory_add": MemoryAdd, "memory_ground": MemoryGround}


async def store(engine: Engine, world: World) -> dict[int, str]:
    """Add a world's memories in their order, corrections with their edge; return node to id."""
    nodes: dict[str, int] = {}
    for memory in world.memories:
        old = memory.supersedes
        edges = [{"target_id": nodes[old], "edge_type": "supersedes"}] if old else None
        arguments = {"event_type": memory.type, "content": memory.text, "edges": edges}
        answer = await _call(engine, "memory_add", {k: v for k, v in arguments.items() if v})
        nodes[memory.id] = answer["node_id"]
    return {node: name for name, node in nodes.items()}


async def ask(engine: Engine, claim: Claim, names: Mapping[int, str]) -> Record:
    """Ground a claim; the record tells by 1 and 0 what was said and whether it is right."""
    started = time.perf_counter()
    answer = await _call(engine, "memory_ground", {"claim": claim.text})
    took = (time.perf_counter() - started) * 1000
    told = "contradicted" if answer["contradicted"] else answer["status"]
    named = {names[each["node_id"]] for each in answer["evidence"]}
    scores = {
        "right": answer["status"] == claim.verdict,
        "label": told == claim.label,
        "verified": answer["status"] == "verified",
        "partial": answer["status"] == "partial",
        "contradicted": answer["contradicted"],
    }
    if claim.evidence:
        scores["evidence"] = bool(named & set(claim.evidence))
    return Record(claim.id, 0, claim.kind, {k: float(v) for k, v in scores.items()}, round(took, 3))


async def _call(engine: Engine, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    request = read(CONTRACTS[tool], arguments)
    wire = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
    call = Call(tool=tool, graph=load_graph(tool), request=wire, caller=Caller(owner=OWNER))
    return (await engine.call(call)).answer
