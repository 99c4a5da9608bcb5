"""Makes memories out of lines: what a line does not say is worked out as `remember` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.contracts.base import parse_moment
from reasonloom.contracts.memory.export_format import SOURCE_KINDS, PortableMemory
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import ViewSource, embed_or_note, sector_views
from reasonloom.nodes.memory.new_memory import (
    DECAY_PER_DAY,
    EVENT_TYPE,
    estimated_tokens,
    keywords,
    salience_of,
)
from reasonloom.nodes.memory.portable.lines import GoodLine
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder

TOOL = "import"
"""What provenance says of a memory that came with a file."""


async def embed_lines(
    embedder: Embedder, lines: Sequence[GoodLine], at: datetime
) -> dict[int, Mapping[str, Sequence[float]]]:
    """Return the vectors of each line by its number: its own, or made anew in one batch.

    Without an embedder those that lack their own have none: `db reindex` makes them later.
    """
    known: dict[int, Mapping[str, Sequence[float]]] = {line.number: line.vectors for line in lines}
    texts = {
        line.number: sector_views(_view_source(line.memory, at))
        for line in lines
        if not line.vectors
    }
    flat = [text for view in texts.values() for text in view.values()]
    vectors, _ = await embed_or_note(embedder, flat) if flat else ([], [])
    if vectors:
        made = iter(vectors)
        for number, view in texts.items():
            known[number] = {sector: next(made) for sector in view}
    return known


def _view_source(memory: PortableMemory, at: datetime) -> ViewSource:
    return ViewSource(
        content=memory.content,
        created_at=_moment(memory.created_at) or at,
        session=memory.session.name if memory.session else None,
        context=memory.context,
        tags=tuple(memory.tags or ()),
        category=memory.category,
    )


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
    """Return a line as a memory to be stored; `at` is when it is, where it says nothing."""
    content, importance, rate = memory.content, memory.importance, memory.decay_rate
    said, made = memory.salience, _moment(memory.created_at) or at
    return NewMemory(
        effect=effect,
        content=content,
        sector=memory.sector,
        event_type=memory.event_type or EVENT_TYPE[memory.sector],
        source_kind=event_type_of(memory),
        principal=principal,
        tool=TOOL,
        salience=said if said is not None else salience_of(content, importance),
        importance=importance,
        decay_rate=rate if rate is not None else DECAY_PER_DAY[memory.sector],
        token_count=estimated_tokens(content),
        created_at=made,
        session_id=session,
        project=memory.project,
        confidence=memory.confidence,
        keywords=memory.keywords if memory.keywords is not None else keywords(content),
        tags=memory.tags or (),
        dates=date_terms(content, memory.context, made.astimezone(UTC).date()),
        category=memory.category,
        context=memory.context,
        run_id=run,
        vectors=vectors,
        model=model if vectors else None,
    )


def event_type_of(memory: PortableMemory) -> str:
    """Return the line's kind of source; `user` where it names none that there is."""
    return memory.source_kind if memory.source_kind in SOURCE_KINDS else "user"


def restored_columns(
    memory: PortableMemory, memory_id: int, *, at: datetime, keep_strength: bool
) -> dict[str, Any]:
    """Return what a new memory gets beside itself.

    Without `keep_strength` it starts as new: strong, never read, fading from now on.
    """
    row: dict[str, Any] = {"id": memory_id, "trust": memory.trust, "deleted_at": memory.hidden_at}
    if not keep_strength:
        fresh = {"strength": None, "access_count": None, "last_accessed": None}
        return {**row, **fresh, "decayed_at": at.isoformat()}
    return {
        **row,
        "strength": memory.strength,
        "access_count": memory.access_count,
        "last_accessed": memory.last_accessed,
        "decayed_at": memory.decayed_at,
    }


def _moment(said: str | None) -> datetime | None:
    return parse_moment(said) if said is not None else None
