"""Reads a session with its branches, thoughts and checkpoints."""

from dataclasses import dataclass

from reasonloom.stores.database import Transaction
from reasonloom.stores.sessions import branches, checkpoints, sessions, thoughts
from reasonloom.stores.sessions.branches import BranchRow
from reasonloom.stores.sessions.checkpoints import CheckpointRow
from reasonloom.stores.sessions.sessions import SessionRow
from reasonloom.stores.sessions.thoughts import ThoughtRow


@dataclass(frozen=True, slots=True)
class FullSession:
    """A session with everything in it, each list in the order it was stored."""

    session: SessionRow
    branches: list[BranchRow]
    thoughts: list[ThoughtRow]
    checkpoints: list[CheckpointRow]


async def read_full(tx: Transaction, session_id: str, *, field: str = "session_id") -> FullSession:
    """Return a session with everything in it.

    Raises:
        SessionNotFound: the owner has no such session, or the text is not a uuid.
    """
    session = await sessions.require(tx, session_id, field=field)
    return FullSession(
        session,
        await branches.of_session(tx, session),
        await thoughts.of_session(tx, session.id),
        await checkpoints.of_session(tx, session.id),
    )
