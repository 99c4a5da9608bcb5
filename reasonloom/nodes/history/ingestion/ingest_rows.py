"""Makes of a chunk the memory and the row that are stored of it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID, uuid5

from reasonloom.contracts.memory.tools import SECTORS
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.stores.history.chunks import ChunkRow
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reasonloom.stores.history.history_sessions import Place
    from reasonloom.transcripts.chunking import Chunk

EFFECTS = UUID("3a52a2f0-9a1b-4f0a-8a55-4f4c2a3b8f11")
"""The namespace of effects that are made of a chunk's key."""

TOOL = "history"
MIDDLE = 0.5
"""Salience and importance of every chunk: nobody weighed what was said."""


def memory_of(
    chunk: Chunk,
    row: ChunkRow,
    *,
    owner: str,
    session: UUID,
    vector: Sequence[float] | None,
    model: str,
) -> NewMemory:
    """Return the memory that a chunk is; one vector stands for all its views."""
    return NewMemory(
        effect=uuid5(EFFECTS, chunk.id),
        content=chunk.text,
        sector="episodic",
        event_type="episode",
        source_kind="transcript",
        principal=owner,
        tool=TOOL,
        salience=MIDDLE,
        importance=MIDDLE,
        decay_rate=0.0,
        token_count=chunk.tokens,
        created_at=row.at,
        session_id=session,
        project=row.project,
        dates=date_terms("", None, row.at.date()),  # logs are full of dates of no interest
        vectors=dict.fromkeys(SECTORS, vector) if vector else {},
        model=model if vector else None,
    )


def row_of(chunk: Chunk, transcript: UUID, place: Place, at: datetime) -> ChunkRow:
    """Return what stands beside a chunk's memory; `place` is its session and project."""
    session, project = place
    return ChunkRow(
        key=chunk.id,
        transcript=transcript,
        project=project,
        session=session,
        agent=chunk.agent,
        first_turn=chunk.first_turn,
        last_turn=chunk.last_turn,
        ordinal=chunk.ordinal,
        started_at=chunk.started_at,
        ended_at=chunk.ended_at,
        at=at,
        tokens=chunk.tokens,
        continues=chunk.continues,
        files=chunk.files,
        errors=chunk.errors,
        names=chunk.names,
        spawns=chunk.spawns,
    )
