"""Answers `list-projects`: every project with its chunks and from when to when they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import ProjectsListed, ProjectTold
from reasonloom.nodes.history.dates import months
from reasonloom.nodes.history.fitting import fitted
from reasonloom.stores.history import chunk_lists

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState
    from reasonloom.stores.history.chunk_lists import ProjectRow

NONE = "No projects found in memory."
HEAD = "Projects in memory:"
MORE = "...and {n} more"


async def history_list_projects(
    state: ToolState,
    runtime: Runtime[Execution],
) -> dict[str, Any]:
    """Return the projects, that with the newest conversation first."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        found = await chunk_lists.projects(tx)
    budget = execution.loom.settings.max_response_tokens
    lines = [f"- {each.slug} ({counted(each)}, {months(each.first, each.last)})" for each in found]
    text = fitted(HEAD, lines, budget, MORE)[0] if found else NONE
    answer = ProjectsListed(text=text, projects=[as_told(each) for each in found])
    return {"answer": answer.wire(), "notes": []}


def counted(project: ProjectRow) -> str:
    """Return `142 chunks`."""
    return f"{project.chunks} {'chunk' if project.chunks == 1 else 'chunks'}"


def as_told(project: ProjectRow) -> ProjectTold:
    """Return a project as values."""
    return ProjectTold(
        project=project.slug,
        path=project.path,
        sessions=project.sessions,
        chunks=project.chunks,
        tokens=project.tokens,
        first=project.first.isoformat() if project.first else None,
        last=project.last.isoformat() if project.last else None,
    )
