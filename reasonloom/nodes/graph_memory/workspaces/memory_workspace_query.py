"""Answers `memory_workspace_query`: all files searched as one, best first."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.shared import MOST_RESULTS
from reasonloom.contracts.graph_memory.workspaces import (
    ContextMatch,
    MemoryWorkspaceQuery,
    WorkspaceFound,
)
from reasonloom.nodes.graph_memory.workspaces.matching import best_first
from reasonloom.nodes.graph_memory.workspaces.survey import Survey, survey
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState

MOST_CHARACTERS = 200_000
"""Of the contents of one answer; the first is always whole."""

LEFT_OUT = "{count} more results are left out: at most {most} and {characters:,} characters"


async def memory_workspace_query(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Merge what every file has, at most `max_per_context` of each."""
    request = MemoryWorkspaceQuery.model_validate(state["request"])
    found = await survey(runtime.context, request.workspace_id, request.query)
    results = _merged(found, request.max_per_context)
    shown = results[: _fitting(results)]
    answer = WorkspaceFound(
        results=shown, count=len(shown), contexts=[file.counted() for file in found.files]
    )
    notes = list(found.notes)
    if len(shown) < len(results):
        count = len(results) - len(shown)
        notes.append(LEFT_OUT.format(count=count, most=MOST_RESULTS, characters=MOST_CHARACTERS))
    return {"answer": answer.wire(), "notes": notes}


def _merged(found: Survey, most: int) -> list[ContextMatch]:
    scored = [
        (file.score(match), place, match)
        for place, file in enumerate(found.files)
        for match in file.matches[:most]
    ]
    return [found.files[place].told(match) for _, place, match in best_first(scored)]


def _fitting(results: list[ContextMatch]) -> int:
    """Return how many results of the first an answer holds."""
    room = MOST_CHARACTERS
    for number, each in enumerate(results):
        room -= len(each.content)
        if number and (room < 0 or number >= MOST_RESULTS):
            return number
    return len(results)
