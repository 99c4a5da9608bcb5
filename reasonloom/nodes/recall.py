"""Answers `recall`: finds memories and shows one page of them."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory import SECTORS, Recall, Recalled, RecalledMemory, StoredMetadata
from reasonloom.nodes.find import Scored, find
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.scope import scope_of
from reasonloom.nodes.state import ToolState


async def recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return one page of the memories that answer the request, best first."""
    execution = runtime.context
    request = Recall.model_validate(state["request"])
    finding = await find(
        execution,
        request.text,
        scope=scope_of(request),
        sectors=request.sectors or SECTORS,
        wanted=request.offset + request.limit,
    )
    page = finding.scored[request.offset : request.offset + request.limit]
    if request.text and not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, [each.memory.id for each in page])
    shown = [_shown(each) for each in page]
    answer = Recalled(
        memories=shown,
        total_count=len(finding.scored),
        scores={memory.id: memory.score for memory in shown},
    )
    return {"answer": answer.wire(), "notes": finding.notes}


def _shown(scored: Scored) -> RecalledMemory:
    memory = scored.memory
    metadata: dict[str, Any] = {"keywords": memory.keywords, "tags": memory.tags}
    if memory.category is not None:
        metadata["category"] = memory.category
    if memory.context is not None:
        metadata["context"] = memory.context
    return RecalledMemory(
        id=f"mem-{memory.id}",
        content=memory.content,
        created_at=memory.created_at.isoformat(),
        last_accessed=memory.last_accessed.isoformat(),
        strength=memory.strength,
        salience=memory.salience,
        primary_sector=memory.sector,
        metadata=StoredMetadata(**metadata, importance=memory.importance),
        score=round(scored.score, 6),
    )
