"""Answers `memory_workspace_list`: the files of a workspace as they are now."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import ContextsListed, MemoryWorkspaceList
from reasonloom.nodes.graph_memory.workspaces.reading import notes_of, read_workspace
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState


async def memory_workspace_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Tell each file's role, label, memories and state, in the order they were added."""
    request = MemoryWorkspaceList.model_validate(state["request"])
    workspace, files = await read_workspace(runtime.context, request.workspace_id)
    answer = ContextsListed(
        workspace_id=workspace.id,
        name=workspace.name,
        contexts=[file.told() for file in files],
        count=len(files),
    )
    return {"answer": answer.wire(), "notes": notes_of(files)}
