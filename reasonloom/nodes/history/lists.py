"""The tools that list projects and sessions and count what is stored."""

from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from reasonloom import __version__
from reasonloom.contracts.history import (
    HistoryCounted,
    HostListSessions,
    ProjectsListed,
    ProjectSummary,
    SessionsListed,
    SessionSummary,
)
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.history import date_arguments, projects
from reasonloom.nodes.history.date_arguments import format_months
from reasonloom.nodes.history.rendering import fit_lines, host_of, remaining_budget
from reasonloom.nodes.state import ToolState
from reasonloom.stores.history import chunk_lists
from reasonloom.stores.history.chunk_lists import ProjectRow, SessionRow
from reasonloom.stores.pipelines import together

NO_PROJECTS = "No projects found in memory."
PROJECTS_HEAD = "Projects in memory:"
MORE_PROJECTS = "...and {n} more"


async def history_list_projects(
    state: ToolState,
    runtime: Runtime[Execution],
) -> dict[str, Any]:
    """Return the projects, the one with the newest conversation first."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True, once=True) as tx:
        found = await chunk_lists.projects(tx)
    budget = execution.loom.settings.max_response_tokens
    lines = [
        f"- {each.slug} ({_count_of(each.chunks, 'chunk')}, {format_months(each.first, each.last)})"
        for each in found
    ]
    text = fit_lines(PROJECTS_HEAD, lines, budget, MORE_PROJECTS) if found else NO_PROJECTS
    answer = ProjectsListed(text=text, projects=[project_values(each) for each in found])
    return {"answer": answer.wire(), "notes": []}


def _count_of(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def project_values(project: ProjectRow) -> ProjectSummary:
    """Return a project as structured output."""
    return ProjectSummary(
        project=project.slug,
        path=project.path,
        sessions=project.sessions,
        chunks=project.chunks,
        tokens=project.tokens,
        first=project.first.isoformat() if project.first else None,
        last=project.last.isoformat() if project.last else None,
    )


NO_SESSIONS = 'No sessions found for project "{project}".'
SESSIONS_HEAD = 'Sessions for "{project}" ({total} total):'
MORE_SESSIONS = "...and {n} more; narrow them by from, to or days_back"
MOST_SESSIONS = 500
"""Sessions in the structured output; the text may show fewer."""


async def history_list_sessions(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return a project's sessions, newest first.

    Raises:
        InvalidArgument: a date is invalid, or `from` is not before `to`.
    """
    execution = runtime.context
    request = execution.request(HostListSessions)
    now = execution.loom.clock()
    span, notes = date_arguments.parse_span(request.from_, request.to, request.days_back, now)
    async with execution.loom.database.begin(execution.caller, searching=True, once=True) as tx:
        every = await chunk_lists.sessions(tx, request.project, span)
    if not every:
        async with execution.loom.database.begin(execution.caller, once=True) as tx:
            notes.append(await projects.unknown_project(tx, request.project))
    found = [
        session
        for session in every
        if session.within and request.host in (None, host_of(session.form))
    ]
    short = projects.abbreviations([session.session for session in every])
    lines = [_session_line(session, short[session.session], now) for session in found]
    text = NO_SESSIONS.format(project=projects.display_name(request.project))
    if found:
        head = SESSIONS_HEAD.format(
            project=projects.display_name(request.project), total=len(found)
        )
        text = fit_lines(
            head,
            lines,
            remaining_budget(execution.loom.settings.max_response_tokens, notes),
            MORE_SESSIONS,
        )
    answer = SessionsListed(
        text=text,
        project=request.project,
        sessions=[_session_values(session) for session in found[:MOST_SESSIONS]],
        total=len(found),
    )
    return {"answer": answer.wire(), "notes": notes}


def _session_line(session: SessionRow, short: str, now: datetime) -> str:
    when = date_arguments.format_times(session.started_at, session.ended_at, now)
    sizes = f"{_count_of(session.chunks, 'chunk')}, {_count_of(session.tokens, 'token')}"
    return f"- {projects.display_name(short)} ({when}, {sizes})"


def _session_values(session: SessionRow) -> SessionSummary:
    return SessionSummary(
        session_id=session.session,
        started_at=session.started_at.isoformat() if session.started_at else None,
        ended_at=session.ended_at.isoformat() if session.ended_at else None,
        chunks=session.chunks,
        tokens=session.tokens,
        host=host_of(session.form),
    )


TOTALS = """reasonloom v{version}

Memory Statistics:
- Chunks: {chunks}
- Edges: {edges}
- Clusters: {clusters}"""


async def history_stats(
    state: ToolState,
    runtime: Runtime[Execution],
) -> dict[str, Any]:
    """Return the numbers of chunks, edges and clusters, and each project's chunks."""
    execution = runtime.context
    async with execution.loom.database.begin(execution.caller, searching=True, once=True) as tx:
        found, edges, clusters = await together(
            chunk_lists.projects(tx), chunk_lists.edges(tx), chunk_lists.clusters(tx)
        )
    chunks = sum(each.chunks for each in found)
    text = TOTALS.format(version=__version__, chunks=chunks, edges=edges, clusters=clusters)
    if found:
        budget = execution.loom.settings.max_response_tokens
        lines = [
            f"- {each.slug}: {_count_of(each.chunks, 'chunk')} "
            f"({format_months(each.first, each.last)})"
            for each in found
        ]
        text = fit_lines(f"{text}\n\nProjects:", lines, budget, MORE_PROJECTS)
    answer = HistoryCounted(
        text=text,
        version=__version__,
        chunks=chunks,
        edges=edges,
        clusters=clusters,
        projects=[project_values(each) for each in found],
    )
    return {"answer": answer.wire(), "notes": []}
