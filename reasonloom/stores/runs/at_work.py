"""The calls that runs at work in a session have had answered so far."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

CALLS = text("""
SELECT r.id, r.tool, r.created_at, c.node, c.prompt, c.prompt_version, left(c.reply ->> 'text', 400)
FROM runs r LEFT JOIN llm_calls c ON c.owner = r.owner AND c.run_id = r.id
WHERE r.owner = :owner AND r.space = :space AND r.status = 'running'
    AND r.created_at > now() - interval '1 day'
    AND (r.session_id = :session OR r.input ->> 'session_id' = CAST(:session AS text))
ORDER BY r.created_at, r.id, c.created_at LIMIT 200
""").bindparams(bindparam("session", type_=Uuid))


class AnsweredCall(NamedTuple):
    """One answered call of a run at work; all but the run is None where there is none yet."""

    run_id: UUID
    tool: str
    begun: datetime
    node: str | None
    prompt: str | None
    version: int | None
    reply: str | None


async def in_session(tx: Transaction, session_id: UUID) -> list[AnsweredCall]:
    """Return what runs at work in a session have had answered, in the order of the answers."""
    values = {"owner": tx.owner, "space": tx.space, "session": session_id}
    return [AnsweredCall(*row) for row in await tx.tuples(CALLS, values)]
