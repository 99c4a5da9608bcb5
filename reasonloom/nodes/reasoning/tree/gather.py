"""First step of tree reasoning: where it stands, and what is known."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.reasoning.tree import ReasoningTree
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.reasoning.attempts import recall_for
from reasonloom.nodes.reasoning.tree.state import TreeState
from reasonloom.nodes.sessions.session_place import place_in


async def gather_context(state: TreeState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the branch, its history, and the memories that the thought calls for."""
    execution = runtime.context
    request = ReasoningTree.model_validate(state["request"])
    place, history = await place_in(
        execution, request.session_id, request.content, branch_id=request.branch_id
    )
    memories, notes = await recall_for(execution, request.content)
    return {
        "place": place,
        "history": history.steps,
        "memories": memories,
        "notes": [*history.notes, *notes],
    }
