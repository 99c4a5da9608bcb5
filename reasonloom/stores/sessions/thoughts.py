"""Thoughts: the steps of a session, which form a tree by parent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.errors import ThoughtNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import require_row
from reasonloom.stores.statements import columns, load, values_of


@dataclass(frozen=True, slots=True)
class NewThought:
    """A step to store: its input, conclusion, confidence (0..1) and LLM.

    `parent_id` is the thought it follows from, `branch_id` the branch it belongs to.
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
    """A thought as stored; `position` counts the thoughts of its session from 1."""

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
    """A step in the history of a branch."""

    id: UUID
    input: str
    content: str


SQL = load(__file__, columns=columns(ThoughtRow, "t"))


async def store(tx: Transaction, thought: NewThought) -> bool:
    """Append a thought to its session; return False if it is stored already.

    The session must be locked, so that no other thought takes the same position.
    """
    return await tx.run(SQL.store, values_of(thought)) == 1


async def line(
    tx: Transaction, head: UUID | None, *, most: int, longest: int
) -> Sequence[PastThought]:
    """Return the last `most` thoughts on the path from the first one to `head`, oldest first.

    Thoughts of other branches and those after `head` are left out. Texts are cut to their first
    `longest` characters.
    """
    if head is None:
        return []
    return await tx.rows(PastThought, SQL.line, {"head": head, "most": most, "longest": longest})


async def require(tx: Transaction, thought_id: str, *, field: str = "thought_id") -> ThoughtRow:
    """Return a thought by its id.

    Raises:
        ThoughtNotFound: the owner has no such thought, or the text is not a uuid.
    """
    return await require_row(
        tx, ThoughtRow, SQL.find, thought_id, missing=ThoughtNotFound, field=field
    )


async def of_session(tx: Transaction, session_id: UUID) -> list[ThoughtRow]:
    """Return all thoughts of a session in the order they were stored."""
    return await tx.rows(ThoughtRow, SQL.of_session, {"session": session_id})
