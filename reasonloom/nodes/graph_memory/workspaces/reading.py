"""Reads the files of a workspace as they are now; one that cannot be read stops no other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reasonloom.contracts.graph_memory.workspaces import Context, State
from reasonloom.nodes.graph_memory.workspaces.cache import FILES
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem
from reasonloom.stores.graph_memory import workspaces

if TYPE_CHECKING:
    from reasonloom.nodes.graph_memory.workspaces.parsing import Parsed
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.graph_memory.workspaces import ContextRow, WorkspaceRow

NO_FILES = "the workspace has no files yet: add some with memory_workspace_add"
NOT_READ = "not read: {labels}; contexts tell why"


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file of a workspace as it is now; `parsed` is None where it cannot be read."""

    row: ContextRow
    parsed: Parsed | None
    state: State
    problem: str | None

    def told(self) -> Context:
        """Return it as the contract has it."""
        return Context(
            context_id=self.row.id,
            label=self.row.label,
            path=self.row.path,
            role=self.row.role,
            memories=len(self.parsed.held) if self.parsed else 0,
            state=self.state,
            problem=self.problem,
        )


async def read_workspace(
    execution: Execution, workspace_id: str
) -> tuple[WorkspaceRow, list[ReadFile]]:
    """Return a workspace and its files; nothing is read while the transaction is open.

    Raises:
        WorkspaceNotFound: this owner has none such.
    """
    async with execution.loom.database.begin(execution.caller) as tx:
        workspace = await workspaces.require(tx, workspace_id)
        rows = await workspaces.contexts(tx, workspace)
    return workspace, [await read_file(execution, row) for row in rows]


async def read_file(execution: Execution, row: ContextRow) -> ReadFile:
    """Return a file as it is now, or why it cannot be read."""
    try:
        parsed = await FILES.get(execution.loom.settings.files_folder, row.path)
    except FileProblem as fault:
        return ReadFile(row, None, fault.state, fault.reason)
    return ReadFile(row, parsed, "ready", parsed.problem)


def notes_of(files: list[ReadFile]) -> list[str]:
    """Return what has to be said of a workspace's files."""
    if not files:
        return [NO_FILES]
    unread = [file.row.label for file in files if file.parsed is None]
    return [NOT_READ.format(labels=", ".join(unread))] if unread else []
