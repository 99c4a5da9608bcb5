"""Builds rows from the lines of a file; missing values are derived as in `remember`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.export_format import SOURCE_KINDS, PortableMemory
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.memory.embedding import embed_many, sector_views
from reasonloom.nodes.memory.new_memory import complete_memory
from reasonloom.nodes.memory.portable.lines import GoodLine
from reasonloom.stores.memory.memories import NewMemory

TOOL = "import"
"""The tool in the provenance of an imported memory."""


async def embed_lines(
    embedder: Embedder, lines: Sequence[GoodLine]
) -> dict[int, Mapping[str, Sequence[float]]]:
    """Return the vectors of each line, by number; missing ones are embedded in one batch.

    If no embedder is available, those lines have no vectors; `db reindex` adds them later.
    """
    lacking = [line for line in lines if not line.vectors]
    memories = [line.memory for line in lacking]
    views = [sector_views(each.content, each.context, each.tags) for each in memories]
    vectors, _ = await embed_many(embedder, views)
    embedded = {line.number: found for line, found in zip(lacking, vectors, strict=True)}
    return {line.number: line.vectors or embedded[line.number] for line in lines}


def memory_from_line(
    memory: PortableMemory,
    effect: UUID,
    *,
    at: datetime,
    principal: str,
    session: UUID | None,
    vectors: Mapping[str, Sequence[float]],
    model: str,
    run: UUID,
) -> NewMemory:
    """Return the row of a line's memory; `at` is the default for its time of creation."""
    return complete_memory(
        memory.content,
        sector=memory.sector,
        created_at=_moment(memory.created_at) or at,
        valid_from=_moment(memory.valid_from),
        importance=memory.importance,
        vectors=vectors,
        model=model,
        effect=effect,
        event_type=memory.event_type or None,
        source_kind=source_kind_of(memory),
        principal=principal,
        tool=TOOL,
        salience=memory.salience,
        decay_rate=memory.decay_rate,
        session_id=session,
        project=memory.project,
        confidence=memory.confidence,
        keywords=memory.keywords,
        tags=memory.tags,
        category=memory.category,
        context=memory.context,
        other_metadata=memory.metadata.other_keys() if memory.metadata else None,
        run_id=run,
    )


def source_kind_of(memory: PortableMemory) -> str:
    """Return the source kind of a line; `user` if it is missing or unknown."""
    return memory.source_kind if memory.source_kind in SOURCE_KINDS else "user"


def restored_columns(
    memory: PortableMemory, memory_id: int, *, at: datetime, keep_strength: bool
) -> dict[str, Any]:
    """Return the columns of an imported memory that `NewMemory` does not set.

    Without `keep_strength` it starts fresh: full strength, no accesses, decay from `at`.
    """
    kept = keep_strength
    return {
        "id": memory_id,
        "trust": memory.trust,
        "deleted_at": memory.hidden_at,
        "strength": memory.strength if kept else None,
        "access_count": memory.access_count if kept else None,
        "last_accessed": memory.last_accessed if kept else None,
        "decayed_at": memory.decayed_at if kept else at.isoformat(),
    }


def _moment(text: str | None) -> datetime | None:
    return parse_moment(text) if text is not None else None
