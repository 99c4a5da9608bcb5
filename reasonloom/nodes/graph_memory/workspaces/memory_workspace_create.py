"""Answers `memory_workspace_create`: a row, so that it is there after a restart."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import MemoryWorkspaceCreate, WorkspaceCreated
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import workspaces


async def memory_workspace_create(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Make a workspace of the requested name; a name may be given twice."""
    execution = runtime.context
    request = MemoryWorkspaceCreate.model_validate(state["request"])
    name, notes = named(request.name, field="name")
    async with execution.loom.database.begin(execution.caller) as tx:
        made = await workspaces.create(tx, execution.run.effect("workspace"), name)
        answer = WorkspaceCreated(workspace_id=made.id, name=made.name)
        return await finish(tx, execution, answer, notes=notes)
