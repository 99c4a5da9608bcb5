"""Branches: named heads on the tree of thoughts.

A session's root branch, `main`, has the session's own id, so every session has one before anything
is stored; the first writer inserts its row. Writers lock the session (`sessions.hold`).
"""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import Any
from uuid import UUID

from reasonloom.errors import BranchNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid, require_row
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import thoughts
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import NewThought
from reasonloom.stores.statements import columns, load, values_of

ACTIVE, COMPLETED, ABANDONED = "active", "completed", "abandoned"
ROOT_NAME = "main"


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch as stored; its next step follows the thought `head_id`.

    `number` counts the branches of the session from the root's 0; `confidence` is that of the
    newest thought unless a mode has set another.
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
    """A branch to create: its parent branch and the thought at which it starts.

    Its confidence is that of the thought at which it starts, unless another is given.
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


SQL = load(__file__, columns=columns(BranchRow))


async def of_session(tx: Transaction, session: SessionRow) -> list[BranchRow]:
    """Return the branches of a session in the order they were created, the root first."""
    found = await tx.rows(BranchRow, SQL.of_session, {"session": session.id})
    return found if found and found[0].number == 0 else [_unwritten_root(session), *found]


async def require(
    tx: Transaction, session: SessionRow, branch_id: str, *, field: str = "branch_id"
) -> BranchRow:
    """Return a branch of a session.

    Raises:
        BranchNotFound: the session has no such branch, or the text is not a uuid.
    """
    wanted = parse_uuid(branch_id)
    values = {"session": session.id, "id": wanted}
    if wanted and (found := await tx.row(BranchRow, SQL.find, values)):
        return found
    if wanted == session.id:
        return _unwritten_root(session)
    raise BranchNotFound(branch_id, field=field)


async def session_of(tx: Transaction, branch_id: str, *, field: str = "branch_id") -> str:
    """Return the id of the session that a branch belongs to.

    Raises:
        BranchNotFound: the space has no such branch, or the text is not a uuid.
    """
    return await require_row(
        tx, str, SQL.session_of, branch_id, missing=BranchNotFound, field=field
    )


async def active(tx: Transaction, session: SessionRow) -> BranchRow:
    """Return the branch that the session's next step continues."""
    return await require(tx, session, str(session.active_branch_id))


async def plant(tx: Transaction, branch: NewBranch) -> bool:
    """Create a branch; return False if it exists, leaving it unchanged."""
    return await tx.run(SQL.plant, values_of(branch)) == 1


async def plant_root(tx: Transaction, session_id: UUID) -> None:
    """Insert the row of a session's root branch if it is missing."""
    await plant(tx, NewBranch(session_id, session_id, ROOT_NAME, None, None))


async def set_state(tx: Transaction, branch: BranchRow, state: str) -> BranchRow:
    """Set the state of a branch and return the branch."""
    [at] = await set_states(tx, [branch.id], state) or [branch.updated_at]
    return replace(branch, state=state, updated_at=at)


async def set_states(tx: Transaction, ids: Sequence[UUID], state: str) -> list[datetime]:
    """Set the state of branches; return the update time of each that exists."""
    return await tx.column(SQL.set_states, {"ids": list(ids), "state": state})


async def extend(
    tx: Transaction,
    thought: NewThought,
    *,
    fork: UUID,
    first: Iterable[Coroutine[Any, Any, object]] = (),
    writes: Callable[[Transaction], Iterable[Coroutine[Any, Any, object]]] = lambda _: (),
) -> UUID:
    """Store a thought as the next of its branch; return the branch it is on.

    The statements in `first` share the round trip that reads the branch, and those of `writes`
    the one that stores the thought.

    Its parent is the thought it was reasoned from. If another run has moved the branch's head
    since, the thought starts the new branch `fork`: so every thought keeps its true parent and no
    branch's path changes. A thought that is already stored stays where it is.
    """
    works = [*first]
    if thought.branch_id == thought.session_id:
        works.append(plant_root(tx, thought.session_id))
    *_, branch = await together(*works, tx.first(SQL.head, {"id": thought.branch_id}))
    if branch is None:
        raise BranchNotFound(str(thought.branch_id))
    if branch.head_id == thought.parent_id:  # so it is not stored yet, or it would be the head
        await together(thoughts.store(tx, thought), _advance(tx, thought), *writes(tx))
        return thought.branch_id
    await together(*writes(tx))
    stored = await tx.first(SQL.branch_of, {"id": thought.id})
    if stored is not None:
        return UUID(str(stored.branch_id))
    name = f"fork of {branch.name or thought.branch_id}"
    branch_id, parent_id = thought.branch_id, thought.parent_id
    forked = NewBranch(fork, thought.session_id, name, branch_id, parent_id, run_id=thought.run_id)
    return await grow(tx, [(forked, thought)])


async def grow(tx: Transaction, new: Iterable[tuple[NewBranch, NewThought]]) -> UUID:
    """Create branches, each with its first thought; return the id of the last.

    The thought's parent is usually the head that its branch is created with.
    """
    pairs = [(branch, replace(thought, branch_id=branch.id)) for branch, thought in new]
    if not pairs:
        raise ValueError("no branch to grow")
    works = [(plant(tx, branch), thoughts.store(tx, thought)) for branch, thought in pairs]
    stored = (await together(*chain(*works)))[1::2]
    new_ones = [thought for (_, thought), is_new in zip(pairs, stored, strict=True) if is_new]
    await together(*(_advance(tx, thought) for thought in new_ones))
    return pairs[-1][0].id


async def append(tx: Transaction, thought: NewThought) -> UUID:
    """Store a thought as the head of its branch, unless it is stored already; return the branch.

    Only for a branch that nobody else can have moved: created in this transaction, or its head
    read in it.
    """
    if await thoughts.store(tx, thought):
        await _advance(tx, thought)
    return thought.branch_id


async def _advance(tx: Transaction, thought: NewThought) -> None:
    """Make a thought the head of its branch."""
    values = {"thought": thought.id, "branch": thought.branch_id}
    await tx.run(SQL.advance, {"confidence": thought.confidence, **values})


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
