"""Reads memories by their ids; a foreign id answers exactly as one that never was."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.extras import BatchRecall, BatchRecalled, Provenance, ReadMemory
from reasonloom.contracts.memory.tools import StoredMetadata
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.ids import not_in, numbers_of
from reasonloom.nodes.memory.injection.suspicion_said import suspected
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import by_id
from reasonloom.stores.memory.by_id import KnownMemory


async def batch_recall(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the memories that are there, in the order asked for; each counts an access."""
    execution = runtime.context
    request = BatchRecall.model_validate(state["request"])
    numbers = numbers_of(request.memory_ids)
    async with execution.loom.database.begin(execution.caller) as tx:
        known = await by_id.read(tx, list(numbers.values()))
    if not execution.loom.settings.read_only:
        execution.loom.journal.reinforce(execution.caller, list(known))
    shown = {name: _shown(known[number]) for name, number in numbers.items() if number in known}
    answer = BatchRecalled(
        memories=list(shown.values()), not_found=not_in(request.memory_ids, list(shown))
    )
    own = {name: each.content for name, each in shown.items() if _is_own(each)}
    warned = suspected(own) if execution.loom.settings.suspicion else []
    return {"answer": answer.wire(), "notes": warned}


def _is_own(memory: ReadMemory) -> bool:
    return memory.provenance.source_kind != "transcript"


def _shown(memory: KnownMemory) -> ReadMemory:
    optional = {"category": memory.category, "context": memory.context}
    metadata = StoredMetadata(
        keywords=memory.keywords,
        tags=memory.tags,
        importance=memory.importance,
        **{name: value for name, value in optional.items() if value is not None},
    )
    return ReadMemory(
        id=f"mem-{memory.id}",
        content=memory.content,
        created_at=memory.created_at.isoformat(),
        last_accessed=memory.last_accessed.isoformat(),
        strength=memory.strength,
        salience=memory.salience,
        confidence=memory.confidence,
        access_count=memory.access_count,
        primary_sector=memory.sector,
        metadata=metadata,
        provenance=_provenance(memory),
    )


def _provenance(memory: KnownMemory) -> Provenance:
    ids = {"session_id": memory.session_id, "run_id": memory.run_id}
    return Provenance(
        source_kind=memory.source_kind,
        principal=memory.principal,
        tool=memory.tool,
        trust=memory.trust,
        **{name: str(value) for name, value in ids.items() if value is not None},
    )
