"""Saved steps and rendered prompts of runs that ended long ago, and their removal."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.runs.redaction import STEPS
from reasonloom.stores.saver import thread_of

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

SIZE = 200
"""Runs whose steps are dropped in one transaction."""

OLD = text("""
SELECT r.id FROM runs r WHERE r.owner = :owner AND r.space = :space AND r.finished_at < :before
    AND EXISTS (SELECT FROM checkpoints c WHERE c.thread_id = concat(r.owner, '/', r.id))
ORDER BY r.finished_at, r.id LIMIT :size
""")


PROMPTS = text("""
UPDATE llm_calls SET messages = NULL WHERE owner = :owner AND run_id = ANY(:runs)
""").bindparams(bindparam("runs", type_=ARRAY(Uuid)))


async def drop(tx: Transaction, before: datetime, *, size: int = SIZE) -> int:
    """Drop the steps of up to `size` runs of the space that ended before; return of how many.

    The rendered prompts of their calls go too; replies and figures stay.
    """
    values = {"owner": tx.owner, "space": tx.space, "before": before, "size": size}
    runs = [row.id for row in await tx.all(OLD, values)]
    threads = [thread_of(tx.owner, run) for run in runs]
    for statement in STEPS if threads else ():
        await tx.run(statement, {"threads": threads})
    if runs:
        await tx.run(PROMPTS, {"owner": tx.owner, "runs": runs})
    return len(runs)
