"""Thoughts: the steps of a session, a tree by parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, select, text
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.errors import ThoughtNotFound
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.sessions.tables import Thought
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class NewThought:
    """One step to be stored: what came in, what was concluded, how sure (0..1), by which llm.

    `parent_id` is the thought that it was reasoned from, `branch_id` the branch it stands on.
    """

    id: UUID
    session_id: UUID
    parent_id: UUID | None
    branch_id: UUID
    mode: str
    input: str
    content: str
    confidence: float
    llm: str
    run_id: UUID
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ThoughtRow:
    """One thought as stored; `position` counts the thoughts of its session from 1."""

    id: UUID
    session_id: UUID
    position: int
    parent_id: UUID | None
    branch_id: UUID | None
    mode: str
    input: str
    content: str
    confidence: float
    llm: str
    run_id: UUID | None
    metadata: dict[str, Any]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class PastThought:
    """One step as the history of a branch shows it."""

    id: UUID
    input: str
    content: str


IDS = ("id", "session_id", "parent_id", "branch_id", "run_id")
STORE = text("""
INSERT INTO thoughts (owner, id, session_id, position, parent_id, branch_id, mode, input,
    content, confidence, llm, run_id, metadata)
SELECT :owner, :id, :session_id, coalesce(max(position), 0) + 1, :parent_id, :branch_id, :mode,
    :input, :content, :confidence, :llm, :run_id, :metadata
FROM thoughts WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS), bindparam("metadata", type_=JSONB))
LINE = text("""
WITH RECURSIVE line (id, parent_id, input, content, back) AS (
    SELECT id, parent_id, left(input, :longest), left(content, :longest), 1
    FROM thoughts WHERE owner = :owner AND id = :head
    UNION ALL
    SELECT t.id, t.parent_id, left(t.input, :longest), left(t.content, :longest), line.back + 1
    FROM line JOIN thoughts t ON t.owner = :owner AND t.id = line.parent_id
    WHERE line.back < :most)
SELECT id, input, content FROM line ORDER BY back DESC
""").bindparams(bindparam("head", type_=Uuid))
"""The texts go along: joined to the finished line, every thought of the owner would be read."""


async def store(tx: Transaction, thought: NewThought) -> bool:
    """Store a thought at its session's end; False where it is stored already.

    The session must be held, so that no other takes the same position.
    """
    values = {name: getattr(thought, name) for name in NewThought.__slots__}
    return await tx.run(STORE, {"owner": tx.owner, **values}) == 1


async def line(
    tx: Transaction, head: UUID | None, *, most: int, longest: int
) -> Sequence[PastThought]:
    """Return the last `most` thoughts on the way from the first one to `head`, oldest first.

    Thoughts of other branches, and what came after `head`, are not on that way. Of each text
    the first `longest` characters are read.
    """
    if head is None:
        return []
    values = {"owner": tx.owner, "head": head, "most": most, "longest": longest}
    rows = await tx.all(LINE, values)
    return [PastThought(row.id, row.input, row.content) for row in rows]


async def require(tx: Transaction, thought_id: str, *, field: str = "thought_id") -> ThoughtRow:
    """Return a thought by its id.

    Raises:
        ThoughtNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(thought_id)
    row = wanted and await tx.first(_rows(tx).where(Thought.id == wanted))
    if not row:
        raise ThoughtNotFound(thought_id, field=field)
    return _row(row)


async def of_session(tx: Transaction, session_id: UUID) -> list[ThoughtRow]:
    """Return every thought of a session, in the order in which they were stored."""
    rows = await tx.all(
        _rows(tx).where(Thought.session_id == session_id).order_by(Thought.position)
    )
    return [_row(row) for row in rows]


def _rows(tx: Transaction) -> Select[Any]:
    """Select this owner's thoughts, of sessions of the space that the transaction named."""
    names = [name for name in ThoughtRow.__slots__ if name != "metadata"]
    columns = [getattr(Thought, name) for name in names]
    joined = (Session.owner == Thought.owner) & (Session.id == Thought.session_id)
    return (
        select(*columns, Thought.metadata_.label("meta"))
        .join(Session, joined)
        .where(Thought.owner == tx.owner, Session.space == tx.space)
    )


def _row(row: Any) -> ThoughtRow:
    values = dict(row._mapping)
    return ThoughtRow(metadata=values.pop("meta"), **values)
