"""The memories that a run made, and those that its answer names."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

LONGEST = 160
READ = text(f"""
WITH named AS (
    SELECT DISTINCT substring(value #>> '{{}}' FROM 5)::bigint AS id
    FROM runs r, jsonb_path_query(r.output, '$.answer.** ? (@.type() == "string")') AS said (value)
    WHERE r.owner = :owner AND r.id = :run AND value #>> '{{}}' ~ '^mem-[0-9]{{1,18}}$'
)
SELECT m.id, m.sector, left(m.content, {LONGEST}), m.run_id = :run AS made FROM memories m
WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND m.source_kind <> 'transcript'
    AND (m.run_id = :run OR m.id IN (SELECT id FROM named))
ORDER BY m.id LIMIT 100
""").bindparams(bindparam("run", type_=Uuid))  # noqa: S608 - our own condition and number


class Touched(NamedTuple):
    """A memory that a run made, or else used."""

    id: int
    sector: str
    content: str
    made: bool


async def of_run(tx: Transaction, run_id: UUID) -> list[Touched]:
    """Return the memories that a run made or named in its answer, a hundred at most."""
    values = {"owner": tx.owner, "space": tx.space, "run": run_id}
    return [Touched(*row) for row in await tx.tuples(READ, values)]
