"""Branches: named heads on the tree of thoughts.

A session's root branch, `main`, has the session's own id, so that every session has one before
anything is stored; its row is made by whoever first writes to the session. What writes here
holds the session (`sessions.hold`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import Select, Uuid, bindparam, func, select, text, update
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.errors import BranchNotFound
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.sessions import thoughts
from reasonloom.stores.sessions.tables import Branch
from reasonloom.stores.tables import Session

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.sessions import SessionRow
    from reasonloom.stores.sessions.thoughts import NewThought

ACTIVE, COMPLETED, ABANDONED = "active", "completed", "abandoned"
ROOT_NAME = "main"


@dataclass(frozen=True, slots=True)
class BranchRow:
    """One branch as stored: its head is the thought that its next step follows.

    `number` counts the branches of the session, the root is 0; `confidence` is its newest
    thought's unless a mode has set another.
    """

    id: UUID
    session_id: UUID
    number: int
    name: str | None
    parent_id: UUID | None
    state: str
    confidence: float
    priority: int
    head_id: UUID | None
    run_id: UUID | None
    metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NewBranch:
    """A branch to be made: from which branch, and at which thought it begins.

    Its confidence is that of the thought at which it begins, unless another is given.
    """

    id: UUID
    session_id: UUID
    name: str
    parent_id: UUID | None
    head_id: UUID | None
    confidence: float | None = None
    priority: int = 0
    run_id: UUID | None = None
    metadata: dict[str, Any] = field(default_factory=dict)


IDS = ("id", "session_id", "parent_id", "head_id", "run_id")
PLANT = text("""
INSERT INTO branches (owner, id, session_id, number, name, parent_id, confidence, priority,
    head_id, run_id, metadata)
SELECT :owner, :id, :session_id, CASE WHEN CAST(:id AS uuid) = :session_id THEN 0
    ELSE greatest(max(number), 0) + 1 END, :name, :parent_id,
    coalesce(CAST(:confidence AS double precision), (SELECT t.confidence FROM thoughts t
        WHERE t.owner = :owner AND t.id = CAST(:head_id AS uuid)), 0),
    :priority, :head_id, :run_id, :metadata
FROM branches WHERE owner = :owner AND session_id = :session_id
ON CONFLICT (owner, id) DO NOTHING
""").bindparams(*(bindparam(name, type_=Uuid) for name in IDS), bindparam("metadata", type_=JSONB))
ADVANCE = text("""
UPDATE branches b SET head_id = :thought, confidence = :confidence,
    updated_at = clock_timestamp(),
    state = CASE WHEN b.id = coalesce(s.active_branch_id, s.id) THEN 'active' ELSE b.state END
FROM sessions s
WHERE b.owner = :owner AND b.id = :branch AND s.owner = :owner AND s.id = b.session_id
""").bindparams(bindparam("thought", type_=Uuid), bindparam("branch", type_=Uuid))
"""A step on a finished branch that is the active one opens it again."""


async def of_session(tx: Transaction, session: SessionRow) -> list[BranchRow]:
    """Return the branches of a session in the order in which they were made, the root first."""
    rows = await tx.all(_rows(tx).where(Branch.session_id == session.id).order_by(Branch.number))
    found = [_row(row) for row in rows]
    return found if found and found[0].number == 0 else [_unwritten_root(session), *found]


async def require(
    tx: Transaction, session: SessionRow, branch_id: str, *, field: str = "branch_id"
) -> BranchRow:
    """Return a branch of a session.

    Raises:
        BranchNotFound: the session has none such, or the text is no uuid.
    """
    wanted = parse_uuid(branch_id)
    row = wanted and await tx.first(
        _rows(tx).where(Branch.session_id == session.id, Branch.id == wanted)
    )
    if row:
        return _row(row)
    if wanted == session.id:
        return _unwritten_root(session)
    raise BranchNotFound(branch_id, field=field)


async def session_of(tx: Transaction, branch_id: str, *, field: str = "branch_id") -> str:
    """Return the id of the session that a branch belongs to.

    Raises:
        BranchNotFound: the space has none such, or the text is no uuid.
    """
    wanted = parse_uuid(branch_id)
    row = wanted and await tx.first(
        select(Session.id)
        .outerjoin(Branch, (Branch.owner == Session.owner) & (Branch.session_id == Session.id))
        .where(Session.owner == tx.owner, Session.space == tx.space)
        .where((Branch.id == wanted) | (Session.id == wanted))
        .limit(1)
    )
    if not row:
        raise BranchNotFound(branch_id, field=field)
    return str(row.id)


async def active(tx: Transaction, session: SessionRow) -> BranchRow:
    """Return the branch on which the session's next step stands."""
    return await require(tx, session, str(session.active_branch_id))


async def plant(tx: Transaction, branch: NewBranch) -> bool:
    """Make a branch; one that is there stays as it is, and the answer is False."""
    values = {name: getattr(branch, name) for name in NewBranch.__slots__}
    return await tx.run(PLANT, {"owner": tx.owner, **values}) == 1


async def plant_root(tx: Transaction, session_id: UUID) -> None:
    """Write the row of a session's root branch, where it has none yet."""
    await plant(tx, NewBranch(session_id, session_id, ROOT_NAME, None, None))


async def set_state(tx: Transaction, branch: BranchRow, state: str) -> BranchRow:
    """Give a branch another state and return it as it is then."""
    row = await tx.first(
        update(Branch)
        .where(Branch.owner == tx.owner, Branch.id == branch.id)
        .values(state=state, updated_at=func.clock_timestamp())
        .returning(Branch.updated_at)
    )
    return replace(branch, state=state, updated_at=row.updated_at if row else branch.updated_at)


async def extend(tx: Transaction, thought: NewThought, *, fork: UUID) -> UUID:
    """Store a thought as its branch's next, and return the branch on which it stands.

    It hangs on the thought that it was reasoned from. Where another run has moved the branch's
    head since that was read, it stands on a new branch `fork` beside it: so every thought keeps
    its true parent, and none leaves a branch's line. A thought that is stored stays where it is.
    """
    branch = await _look(tx, thought.branch_id)
    if branch is None and thought.branch_id == thought.session_id:
        await plant_root(tx, thought.session_id)
        branch = await _look(tx, thought.branch_id)
    if branch is None:
        raise BranchNotFound(str(thought.branch_id))
    if branch.head_id == thought.parent_id:
        return await append(tx, thought)
    stored = await tx.first(
        text("SELECT branch_id FROM thoughts WHERE owner = :owner AND id = :id"),
        {"owner": tx.owner, "id": thought.id},
    )
    if stored is not None:
        return UUID(str(stored.branch_id))
    name = f"fork of {branch.name or thought.branch_id}"
    beside = NewBranch(fork, thought.session_id, name, thought.branch_id, thought.parent_id)
    return await grow(tx, [(replace(beside, run_id=thought.run_id), thought)])


async def _look(tx: Transaction, branch_id: UUID) -> Any:
    return await tx.first(
        select(Branch.name, Branch.head_id).where(Branch.owner == tx.owner, Branch.id == branch_id)
    )


async def grow(tx: Transaction, sprouts: Iterable[tuple[NewBranch, NewThought]]) -> UUID:
    """Make branches, each with a first thought on it; return the last one's id.

    A thought hangs on its own parent, which is as a rule the head that its branch is made with.
    """
    last = None
    for branch, thought in sprouts:
        await plant(tx, branch)
        last = await append(tx, replace(thought, branch_id=branch.id))
    if last is None:
        raise ValueError("no branch to grow")
    return last


async def append(tx: Transaction, thought: NewThought) -> UUID:
    """Store a thought as the head of its branch, unless it is stored already; return the branch.

    For a branch that nobody else can have moved: one made in this transaction, or whose head
    was looked at in it.
    """
    if await thoughts.store(tx, thought):
        values = {"thought": thought.id, "branch": thought.branch_id}
        await tx.run(ADVANCE, {"owner": tx.owner, "confidence": thought.confidence, **values})
    return thought.branch_id


def _unwritten_root(session: SessionRow) -> BranchRow:
    return BranchRow(
        id=session.id,
        session_id=session.id,
        number=0,
        name=ROOT_NAME,
        parent_id=None,
        state=ACTIVE,
        confidence=0.0,
        priority=0,
        head_id=None,
        run_id=None,
        metadata={},
        created_at=session.created_at,
        updated_at=session.created_at,
    )


def _rows(tx: Transaction) -> Select[Any]:
    names = [name for name in BranchRow.__slots__ if name != "metadata"]
    columns = [getattr(Branch, name) for name in names]
    return select(*columns, Branch.metadata_.label("meta")).where(Branch.owner == tx.owner)


def _row(row: Any) -> BranchRow:
    values = dict(row._mapping)
    return BranchRow(metadata=values.pop("meta"), **values)
