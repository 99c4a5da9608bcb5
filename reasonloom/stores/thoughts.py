"""Thoughts: the steps of a session, a tree by parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import Uuid, bindparam, select, text

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


STORE = text("""
INSERT INTO thoughts
    (owner, id, session_id, position, parent_id, mode, input, content, confidence, llm, run_id)
SELECT :owner, :id, :session_id, coalesce(max(position), 0) + 1, :parent_id, :mode, :input,
    :content, :confidence, :llm, :run_id
FROM thoughts WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(
    *(bindparam(name, type_=Uuid) for name in ("id", "session_id", "parent_id", "run_id"))
)


async def store(tx: Transaction, thought: NewThought) -> None:
    """Store a thought at its session's end; the same id twice is stored once."""
    values = {name: getattr(thought, name) for name in NewThought.__slots__}
    await tx.run(STORE, {"owner": tx.owner, **values})


async def history(tx: Transaction, session_id: UUID, *, limit: int) -> Sequence[PastThought]:
    """Return the newest `limit` thoughts of a session, oldest first."""
    rows = await tx.all(
        select(Thought.id, Thought.input, Thought.content)
        .where(Thought.owner == tx.owner, Thought.session_id == session_id)
        .order_by(Thought.position.desc())
        .limit(limit)
    )
    return [PastThought(row.id, row.input, row.content) for row in reversed(rows)]
