"""Makes of what a caller gives the memory that is stored: one at a time or in a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.contracts.memory.extras import NewItem
from reasonloom.contracts.memory.tools import MemoryMetadata, Remember, Sector
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import Viewed
from reasonloom.nodes.memory.new_memory import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

Given = Remember | NewItem
EVENT_TYPE: dict[Sector, str] = {
    "episodic": "episode",
    "semantic": "fact",
    "procedural": "skill",
    "emotional": "episode",
    "reflective": "inference",
}
"""The event type that a sector stands for where none is named."""


def viewed_of(given: Given, session: str, at: datetime) -> Viewed:
    """Return what the views of a memory given in `session` are made of."""
    metadata = given.metadata or MemoryMetadata()
    return Viewed(
        content=given.content,
        created_at=at,
        session=session,
        context=metadata.context,
        tags=tuple(metadata.tags or ()),
        category=metadata.category,
    )


def memory_of(
    execution: Execution,
    given: Given,
    *,
    effect: UUID,
    session: UUID,
    vectors: Mapping[str, Sequence[float]],
    at: datetime,
) -> NewMemory:
    """Return the memory to be stored; `effect` names the write, `vectors` are its views'."""
    metadata, run = given.metadata or MemoryMetadata(), execution.run
    chosen = metadata.keywords
    return NewMemory(
        effect=effect,
        content=given.content,
        sector=given.primary_sector,
        event_type=EVENT_TYPE[given.primary_sector],
        source_kind="user",
        principal=execution.caller.owner,
        tool=run.tool,
        salience=salience(given.content, metadata.importance),
        importance=metadata.importance,
        decay_rate=DECAY_PER_DAY[given.primary_sector],
        token_count=estimated_tokens(given.content),
        created_at=at,
        session_id=session,
        project=execution.caller.project,
        keywords=chosen if chosen is not None else keywords(given.content),
        tags=metadata.tags or (),
        dates=date_terms(given.content, metadata.context, at.date()),
        category=metadata.category,
        context=metadata.context,
        run_id=run.id,
        vectors=vectors,
        model=execution.loom.embedder.model if vectors else None,
    )
