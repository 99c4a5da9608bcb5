"""Answers `memory_workspace_xref`: which files know a topic, by how much of it one memory holds."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.workspaces import (
    CrossReferenced,
    MemoryWorkspaceXref,
    Presence,
)
from reasonloom.nodes.graph_memory.workspaces.survey import DIGITS, Searched, survey
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState

PRESENT = 0.75
"""The share of the topic's telling words that one memory must hold: both of two, all of three."""

BY_WORDS = (
    "presence is counted by words in any form; a file that says it in other words alone is "
    "absent, and `best` shows the nearest that it has"
)


async def memory_workspace_xref(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Sort the files into those that know the topic, those that do not, and the rest."""
    request = MemoryWorkspaceXref.model_validate(state["request"])
    found = await survey(runtime.context, request.workspace_id, request.item)
    told = [presence(file) for file in found.files]
    read = [each for each in told if each.state == "ready"]
    looked = bool(found.question.words)
    present = [each for each in read if each.present]
    answer = CrossReferenced(
        item=request.item,
        present_in=sorted(present, key=lambda each: -each.coverage),
        absent_from=[each for each in read if not each.present] if looked else [],
        undecided=[each for each in told if each.state != "ready" or not looked],
        coverage=round(len(present) / len(read), DIGITS) if read else 0.0,
    )
    notes = [*found.notes, BY_WORDS] if len(present) < len(read) and looked else found.notes
    return {"answer": answer.wire(), "notes": notes}


def presence(searched: Searched) -> Presence:
    """Return what a file has of a topic; its best is what holds most of the topic's words."""
    row = searched.file.row
    ranked = sorted(searched.matches, key=lambda match: (-match.words, -match.similarity))
    holding = [match for match in ranked if match.words >= PRESENT]
    best = ranked[0] if ranked else None
    return Presence(
        context_id=row.id,
        label=row.label,
        role=row.role,
        present=bool(holding),
        coverage=round(best.words, DIGITS) if best else 0.0,
        matches=len(holding),
        best=searched.told(best) if best else None,
        state=searched.file.state,
        problem=searched.file.problem,
    )
