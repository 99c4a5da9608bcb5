"""Thoughts: the steps of a session, a tree by parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert as upsert

from reasonloom.stores.tables import Thought

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class NewThought:
    """One step to be stored: what came in, what was concluded, how sure (0..1), by which llm."""

    id: UUID
    session_id: UUID
    parent_id: UUID | None
    mode: str
    input: str
    content: str
    confidence: float
    llm: str
    run_id: UUID


@dataclass(frozen=True, slots=True)
class PastThought:
    """One step as the history of a session shows it."""

    id: UUID
    input: str
    content: str


async def store(tx: Transaction, thought: NewThought) -> None:
    """Store a thought at its session's end; the same id twice is stored once."""
    position = (
        select(func.coalesce(func.max(Thought.position), 0) + 1)
        .where(Thought.owner == tx.owner, Thought.session_id == thought.session_id)
        .scalar_subquery()
    )
    row = {name: getattr(thought, name) for name in NewThought.__slots__}
    await tx.run(
        upsert(Thought)
        .values(owner=tx.owner, position=position, **row)
        .on_conflict_do_nothing(index_elements=[Thought.owner, Thought.id])
    )


async def history(tx: Transaction, session_id: UUID, *, limit: int) -> Sequence[PastThought]:
    """Return the newest `limit` thoughts of a session, oldest first."""
    rows = await tx.all(
        select(Thought.id, Thought.input, Thought.content)
        .where(Thought.owner == tx.owner, Thought.session_id == session_id)
        .order_by(Thought.position.desc())
        .limit(limit)
    )
    return [PastThought(row.id, row.input, row.content) for row in reversed(rows)]
