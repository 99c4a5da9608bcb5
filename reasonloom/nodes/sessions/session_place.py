"""Where in which session a run thinks, and what it sees from there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from reasonloom.nodes.sessions.context import History, history_of
from reasonloom.stores.sessions import branches, sessions

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.branches import BranchRow
    from reasonloom.stores.sessions.sessions import SessionRow
    from reasonloom.stores.sessions.thoughts import NewThought


async def place_in(
    execution: Execution, session_id: str | None, question: str, *, branch_id: str | None = None
) -> tuple[dict[str, Any], History]:
    """Return the ids of session, branch and its head (None at first), and its history.

    The branch is the session's active one where none is named.

    Raises:
        SessionNotFound: this owner has none such.
        BranchNotFound: this owner has none such, or not in this session.
    """
    if session_id is None and branch_id is None:
        fresh = str(execution.run.effect("session"))
        return {"id": fresh, "branch": fresh, "head": None}, History()
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        known, branch = await _found(tx, session_id, branch_id)
        history = await history_of(tx, execution, branch.head_id, question)
    head = str(branch.head_id) if branch.head_id else None
    return {"id": str(known.id), "branch": str(branch.id), "head": head}, history


async def hang(tx: Transaction, execution: Execution, thought: NewThought) -> UUID:
    """Store a thought in its session, held meanwhile; return the branch on which it stands."""
    session = await sessions.open_session(
        tx, thought.session_id, mode=thought.mode, client=execution.caller.client
    )
    await sessions.hold(tx, str(session))
    return await branches.extend(tx, thought, fork=execution.run.effect("fork"))


async def _found(
    tx: Transaction, session_id: str | None, branch_id: str | None
) -> tuple[SessionRow, BranchRow]:
    if branch_id is None:
        known = await sessions.require(tx, session_id or "")
        return known, await branches.active(tx, known)
    if session_id is None:
        session_id = await branches.session_of(tx, branch_id)
    known = await sessions.require(tx, session_id)
    return known, await branches.require(tx, known, branch_id)
