"""Answers `recall`: finds memories and shows one page of them."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import (
    SECTORS,
    ExplainedRecall,
    Provenance,
    Recalled,
    RecalledMemory,
    StoredMetadata,
)
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.retrieval.retrieve import (
    DIGITS,
    ScoredMemory,
    explain_score,
    retrieve,
    scope_of,
)
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.search.retrieval import FoundMemory


async def recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return one page of the memories that answer the request, best first."""
    execution = runtime.context
    request = ExplainedRecall.model_validate(state["request"])
    finding = await retrieve(
        execution,
        request.text,
        scope=scope_of(request),
        sectors=request.sectors or SECTORS,
        offset=request.offset,
        limit=request.limit,
    )
    if request.text and not execution.loom.settings.read_only:
        ids = [each.memory.id for each in finding.page]
        execution.loom.journal.reinforce(execution.caller, ids)
    shown = [_recalled_memory(each, explain=request.explain) for each in finding.page]
    answer = Recalled(
        memories=shown,
        total_count=finding.total,
        scores={memory.id: memory.score for memory in shown},
    )
    return {"answer": answer.wire(), "notes": finding.notes}


def _recalled_memory(scored: ScoredMemory, *, explain: bool) -> RecalledMemory:
    memory = scored.memory
    explained = {"explanation": explain_score(scored)} if explain else {}
    return RecalledMemory(
        id=f"mem-{memory.id}",
        content=memory.content,
        created_at=memory.created_at.isoformat(),
        last_accessed=memory.last_accessed.isoformat(),
        strength=memory.strength,
        salience=memory.salience,
        primary_sector=memory.sector,
        metadata=_metadata(memory),
        score=round(scored.score, DIGITS),
        provenance=memory_provenance(memory),
        **explained,
    )


def _metadata(memory: FoundMemory) -> StoredMetadata:
    optional = {"category": memory.category, "context": memory.context}
    return StoredMetadata(
        keywords=memory.keywords,
        tags=memory.tags,
        importance=memory.importance,
        **{name: value for name, value in optional.items() if value is not None},
    )


def memory_provenance(memory: FoundMemory) -> Provenance:
    """Return who stored a memory, by what, and when."""
    optional = {"session_id": memory.session, "run_id": str(memory.run_id or "")}
    return Provenance(
        principal=memory.principal,
        tool=memory.tool,
        source_kind=memory.source_kind,
        trust=memory.trust,
        **{name: value for name, value in optional.items() if value},
    )
