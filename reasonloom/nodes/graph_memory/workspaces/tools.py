"""The workspace tools: create, add, list, query and xref."""

from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.shared import MOST_RESULTS
from reasonloom.contracts.graph_memory.workspaces import (
    ContextAdded,
    ContextMatch,
    ContextsListed,
    CrossReferenced,
    MemoryWorkspaceAdd,
    MemoryWorkspaceCreate,
    MemoryWorkspaceList,
    MemoryWorkspaceQuery,
    MemoryWorkspaceXref,
    Presence,
    WorkspaceCreated,
    WorkspaceFound,
)
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.rendering import DIGITS
from reasonloom.nodes.graph_memory.workspaces.cache import (
    FILES,
    ReadFile,
    read_workspace,
    unread_notes,
)
from reasonloom.nodes.graph_memory.workspaces.folder import FileProblem, example_files, path_within
from reasonloom.nodes.graph_memory.workspaces.parsing import ParsedFile
from reasonloom.nodes.graph_memory.workspaces.survey import Searched, Survey, survey_workspace
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import workspaces


async def memory_workspace_create(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Create a workspace; names need not be unique."""
    execution = runtime.context
    request = execution.request(MemoryWorkspaceCreate)
    name, notes = clean_name(request.name, field="name")
    async with execution.loom.database.begin(execution.caller) as tx:
        made = await workspaces.create(tx, execution.run.effect("workspace"), name)
        answer = WorkspaceCreated(workspace_id=made.id, name=made.name)
        return await complete_run(tx, execution, answer, notes=notes)


THERE_BEFORE = "{context_id} was there already: role {role}, label {label}"


async def memory_workspace_add(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read a file and store its path; a file that was already added gets the new role and label."""
    execution = runtime.context
    request = execution.request(MemoryWorkspaceAdd)
    folder, database = execution.loom.settings.files_folder, execution.loom.database
    label, notes = clean_name(request.label, field="label") if request.label else (None, [])
    async with database.begin(execution.caller, once=True) as tx:
        await workspaces.require(tx, request.workspace_id)
    path = path_within(folder, request.path)
    parsed = await _parsed(folder, path)
    role = request.role if "role" in request.model_fields_set else None
    async with database.begin(execution.caller) as tx:
        workspace = await workspaces.require(tx, request.workspace_id, hold=True)
        row, before = await workspaces.put(tx, workspace, path, role=role, label=label)
        file = ReadFile(row, parsed, "ready", parsed.problem)
        answer = ContextAdded(
            **file.render().model_dump(), workspace_id=workspace.id, updated=before
        )
        if before:
            notes.append(THERE_BEFORE.format(context_id=row.id, role=row.role, label=row.label))
        return await complete_run(tx, execution, answer, notes=notes)


async def _parsed(folder: Path, path: str) -> ParsedFile:
    """Return the file's current content.

    Raises:
        InvalidArgument: it cannot be read; if it is missing, the message lists other files.
    """
    try:
        return await FILES.get(folder, path)
    except FileProblem as fault:
        examples = ", ".join(example_files(folder)) if fault.state == "missing" else ""
        hint = f"; there are, for example: {examples}" if examples else ""
        raise InvalidArgument(f"path: {fault.reason}{hint}", field="path") from None


async def memory_workspace_list(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return each file's role, label, memories and state, in the order in which they were added."""
    request = runtime.context.request(MemoryWorkspaceList)
    workspace, files = await read_workspace(runtime.context, request.workspace_id)
    answer = ContextsListed(
        workspace_id=workspace.id,
        name=workspace.name,
        contexts=[file.render() for file in files],
        count=len(files),
    )
    return {"answer": answer.wire(), "notes": unread_notes(files)}


MOST_CHARACTERS = 200_000
"""Maximum total characters of the contents in one answer; the first one is always complete."""

LEFT_OUT = "{count} more results are left out: at most {most} and {characters:,} characters"


async def memory_workspace_query(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the best matches of all files, at most `max_per_context` from each."""
    request = runtime.context.request(MemoryWorkspaceQuery)
    found = await survey_workspace(runtime.context, request.workspace_id, request.query)
    results = _merge_results(found, request.max_per_context)
    fitting = _fitting(results)
    answer = WorkspaceFound(
        results=results[:fitting], count=fitting, contexts=[file.counted() for file in found.files]
    )
    notes = list(found.notes)
    if count := len(results) - fitting:
        notes.append(LEFT_OUT.format(count=count, most=MOST_RESULTS, characters=MOST_CHARACTERS))
    return {"answer": answer.wire(), "notes": notes}


def _merge_results(found: Survey, most: int) -> list[ContextMatch]:
    """Return the matches of all files, best first; ties are in the order of the files."""
    scored = [
        (-file.score(match), place, match.place, match)
        for place, file in enumerate(found.files)
        for match in file.matches[:most]
    ]
    ranked = sorted(scored, key=lambda each: each[:3])
    return [found.files[place].render(match) for _, place, _, match in ranked]


def _fitting(results: list[ContextMatch]) -> int:
    """Return how many leading results fit into an answer."""
    room = MOST_CHARACTERS
    for number, each in enumerate(results):
        room -= len(each.content)
        if number and (room < 0 or number >= MOST_RESULTS):
            return number
    return len(results)


PRESENT = 0.75
"""Minimum share of the topic's keywords that one memory must have: both of two, all of three."""

BY_WORDS = (
    "presence is counted by words in any form; a file that says it in other words alone is "
    "absent, and `best` shows the nearest that it has"
)


async def memory_workspace_xref(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Sort the files into those that mention the topic, those that do not, and undecided ones."""
    request = runtime.context.request(MemoryWorkspaceXref)
    found = await survey_workspace(runtime.context, request.workspace_id, request.item)
    files = [presence(file) for file in found.files]
    read = [each for each in files if each.state == "ready"]
    searched = bool(found.question.words)
    present = [each for each in read if each.present]
    answer = CrossReferenced(
        item=request.item,
        present_in=sorted(present, key=lambda each: -each.coverage),
        absent_from=[each for each in read if not each.present] if searched else [],
        undecided=[each for each in files if each.state != "ready" or not searched],
        coverage=round(len(present) / len(read), DIGITS) if read else 0.0,
    )
    notes = [*found.notes, BY_WORDS] if len(present) < len(read) and searched else found.notes
    return {"answer": answer.wire(), "notes": notes}


def presence(searched: Searched) -> Presence:
    """Return whether a file mentions a topic; its best memory has the most topic words."""
    ranked = sorted(searched.matches, key=lambda match: (-match.words, -match.similarity))
    present = [match for match in ranked if match.words >= PRESENT]
    best = ranked[0] if ranked else None
    return Presence(
        **searched.file.identity(),
        present=bool(present),
        coverage=round(best.words, DIGITS) if best else 0.0,
        matches=len(present),
        best=searched.render(best) if best else None,
    )
