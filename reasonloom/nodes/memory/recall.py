"""Implements `recall`: one page of the memories that match a question."""

from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.recall import (
    ExplainedRecall,
    Explanation,
    Recalled,
    RecalledMemory,
    StoredMetadata,
)
from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.retrieval.across import Places
from reasonloom.nodes.memory.retrieval.answerable import Answerability, answerability
from reasonloom.nodes.memory.retrieval.retrieve import (
    DIGITS,
    explain_score,
    scope_of,
)
from reasonloom.nodes.memory.retrieval.scoring import ScoredMemory
from reasonloom.nodes.memory.spaces import empty_space_notes
from reasonloom.nodes.memory.validity import too_early_notes
from reasonloom.nodes.sharing.places import open_read
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory.memories import MemoryFields
from reasonloom.stores.memory.search.fulltext import Hit


async def recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return one page of the memories that match the request, best first."""
    execution = runtime.context
    request = execution.request(ExplainedRecall)
    places = Places(await open_read(execution, request.spaces))
    finding = await places.retrieve(
        request.text,
        scope=scope_of(request, now=execution.loom.clock(), superseded=bool(request.text)),
        sectors=request.sectors or SECTORS,
        offset=request.offset,
        limit=request.limit,
    )
    keys = [each.memory.id for each in finding.page]
    await places.log(keys)
    if request.text and not execution.loom.settings.read_only:
        for space, numbers in places.grouped(keys):
            execution.loom.journal.reinforce(space.caller, numbers)
    judged = None
    if request.text and not request.offset:  # later pages lack the top results
        judged = answerability(request.text, finding.page, finding.readings)
    page = [
        _recalled_memory(each, places, explain=request.explain, judged=judged)
        for each in finding.page
    ]
    answer = Recalled(
        memories=page,
        total_count=finding.total,
        scores={memory.id: memory.score for memory in page},
        **({"answerable": judged.probability} if judged else {}),
    )
    notes = judged.notes() if judged and finding.total else []
    notes += finding.notes
    if not finding.total:
        notes += await empty_space_notes(places.spaces[0])
        notes += await too_early_notes(execution, request)
    return {"answer": answer.wire(), "notes": notes}


def _recalled_memory(
    scored: ScoredMemory, places: Places, *, explain: bool, judged: Answerability | None
) -> RecalledMemory:
    memory = scored.memory
    extra: dict[str, Any] = {"nearest": True} if judged and judged.refused else {}
    if explain:
        extra["explanation"] = _explanation(scored, judged)
    validity: dict[str, str] = {}
    if memory.valid_from != memory.created_at:
        validity["valid_from"] = memory.valid_from.isoformat()
    if memory.superseded_by:
        validity["superseded_by"] = places.label(memory.superseded_by)
    return RecalledMemory(
        **full_fields(memory, memory.session, places.label(memory.id)),
        **named_space(places, memory),
        score=round(scored.score, DIGITS),
        **validity,
        **extra,
    )


def _explanation(scored: ScoredMemory, judged: Answerability | None) -> Explanation:
    explained = explain_score(scored)
    reading = judged.readings.get(scored.memory.id) if judged else None
    if reading is None:
        return explained
    return explained.model_copy(update={"reading": round(reading, DIGITS)})


def named_space(places: Places, memory: MemoryFields | Hit) -> dict[str, str]:
    """Return the fields of a memory in a space that the call names; none for the caller's own."""
    space = places.split(memory.id)[0].caller
    if not space.address:
        return {}
    return {"space": space.address, "writer": memory.principal}


def memory_fields(memory: MemoryFields | Hit, memory_id: str | None = None) -> dict[str, Any]:
    """Return the fields of a memory that every answer has."""
    return {
        "id": memory_id or f"mem-{memory.id}",
        "content": memory.content,
        "created_at": memory.created_at.isoformat(),
        "strength": memory.strength,
        "salience": memory.salience,
        "primary_sector": memory.sector,
    }


def full_fields(
    memory: MemoryFields, session: UUID | str | None, memory_id: str | None = None
) -> dict[str, Any]:
    """Return the fields of an answer that reads a memory, with its metadata and provenance."""
    ids = {"session_id": session, "run_id": memory.run_id}
    provenance = {
        "source_kind": memory.source_kind,
        "principal": memory.principal,
        "tool": memory.tool,
        "trust": memory.trust,
        **{name: str(value) for name, value in ids.items() if value},
    }
    return {
        **memory_fields(memory, memory_id),
        "last_accessed": memory.last_accessed.isoformat(),
        "metadata": _stored_metadata(memory),
        "provenance": provenance,
    }


def _stored_metadata(memory: MemoryFields) -> StoredMetadata:
    """Return a memory's metadata; category and context are omitted if unset."""
    optional = {"category": memory.category, "context": memory.context}
    return StoredMetadata(
        keywords=memory.keywords,
        tags=memory.tags,
        importance=memory.importance,
        **{name: value for name, value in optional.items() if value is not None},
        **memory.other_metadata,
    )
