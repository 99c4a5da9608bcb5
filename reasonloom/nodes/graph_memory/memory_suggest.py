"""Answers `memory_suggest`: what is stored nearest to something half remembered or misspelt."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.grounding import MemorySuggest
from reasonloom.contracts.graph_memory.shared import NodesScored
from reasonloom.nodes.graph_memory.near import near
from reasonloom.nodes.graph_memory.rendering import scored
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState


async def memory_suggest(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the current nodes nearest to the query, misspelt words read as stored ones too."""
    request = MemorySuggest.model_validate(state["request"])
    found = await near(runtime.context, request.query, most=request.limit, spelling=True)
    results = [scored(row, score) for row, score in found.rows]
    answer = NodesScored(results=results, count=len(results))
    notes = [*found.notes, *warned(runtime.context, results)]
    return {"answer": answer.wire(), "notes": notes}
