"""Answers `memory_workspace_add`: a file that can be read, named from its folder on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import ContextAdded, MemoryWorkspaceAdd
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.graph_memory.workspaces.cache import FILES
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem, some_files, within
from reasonloom.nodes.graph_memory.workspaces.reading import ReadFile
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import workspaces

if TYPE_CHECKING:
    from pathlib import Path

    from reasonloom.nodes.graph_memory.workspaces.parsing import Parsed

THERE_BEFORE = "{context_id} was there already: role {role}, label {label}"


async def memory_workspace_add(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read the requested file, and keep where it lies; one that is there gets role and label."""
    execution = runtime.context
    request = MemoryWorkspaceAdd.model_validate(state["request"])
    folder, database = execution.loom.settings.files_folder, execution.loom.database
    label, notes = named(request.label, field="label") if request.label else (None, [])
    async with database.begin(execution.caller) as tx:
        await workspaces.require(tx, request.workspace_id)
    path = within(folder, request.path)
    parsed = await _parsed(folder, path)
    role = request.role if "role" in request.model_fields_set else None
    async with database.begin(execution.caller) as tx:
        workspace = await workspaces.require(tx, request.workspace_id, hold=True)
        row, before = await workspaces.put(tx, workspace, path, role=role, label=label)
        file = ReadFile(row, parsed, "ready", parsed.problem)
        answer = ContextAdded(**file.told().model_dump(), workspace_id=workspace.id, updated=before)
        if before:
            notes.append(THERE_BEFORE.format(context_id=row.id, role=row.role, label=row.label))
        return await finish(tx, execution, answer, notes=notes)


async def _parsed(folder: Path, path: str) -> Parsed:
    """Return the file as it is now.

    Raises:
        InvalidArgument: it cannot be read; names files that are there where it is missing.
    """
    try:
        return await FILES.get(folder, path)
    except FileProblem as fault:
        there = ", ".join(some_files(folder)) if fault.state == "missing" else ""
        hint = f"; there are, for example: {there}" if there else ""
        raise InvalidArgument(f"path: {fault.reason}{hint}", field="path") from None
