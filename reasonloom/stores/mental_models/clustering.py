"""Which owners' basins somebody should look at: each is taken by one process at a time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Database

CLAIM = text("""
UPDATE spaces SET clustered_at = :at WHERE (owner, space) IN (
    SELECT owner, space FROM spaces
    WHERE space = '' AND (clustered_at IS NULL OR clustered_at < :due)
    ORDER BY clustered_at NULLS FIRST, owner LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING owner
""")


async def claim(database: Database, *, at: datetime, due: datetime) -> str | None:
    """Take the owner that was looked at the longest ago, before `due`, and mark it as looked at.

    What is marked nobody else takes; where its carrier dies, it is late until it is due again.
    """
    async with database.recovering() as connection:
        row = (await connection.execute(CLAIM, {"at": at, "due": due})).first()
    return str(row.owner) if row else None
