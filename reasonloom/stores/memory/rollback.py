"""What one writer stored since a time: chosen by provenance, hidden together or erased."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import text

from reasonloom.stores.memory.statistics import EXCERPT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

CHOSEN = text(f"""
SELECT m.id, coalesce(r.created_at, m.created_at) AS stored_at, m.tool,
    coalesce(r.client, m.principal) AS writer, left(m.content, {EXCERPT + 1}) AS excerpt
FROM memories m LEFT JOIN runs r ON r.owner = m.owner AND r.id = m.run_id
    LEFT JOIN sessions s ON s.owner = m.owner AND s.id = m.session_id
WHERE m.owner = :owner AND m.space = :space AND (:hidden OR m.deleted_at IS NULL)
    AND :writer IN (m.principal, m.tool, r.client)
    AND coalesce(r.created_at, m.created_at) >= :since
    AND (CAST(:until AS timestamptz) IS NULL OR coalesce(r.created_at, m.created_at) <= :until)
    AND (CAST(:tool AS text) IS NULL OR m.tool = :tool)
    AND (CAST(:session AS text) IS NULL OR :session IN (s.external_name, CAST(s.id AS text)))
    AND (CAST(:run AS text) IS NULL OR CAST(m.run_id AS text) = :run)
ORDER BY m.id
""")  # noqa: S608 - a constant, no values
"""By when it was stored: an imported memory is older than its import."""

DERIVED = text(f"""
SELECT m.id, m.created_at AS stored_at, m.tool, m.principal AS writer,
    left(m.content, {EXCERPT + 1}) AS excerpt
FROM memories m WHERE m.owner = :owner AND m.space = :space AND m.deleted_at IS NULL
    AND NOT m.id = ANY(:ids) AND EXISTS (SELECT FROM edges e WHERE e.owner = :owner
        AND e.source_id = m.id AND e.type = 'derived_from' AND e.target_id = ANY(:ids))
ORDER BY m.id
""")  # noqa: S608 - a constant, no values


@dataclass(frozen=True, slots=True)
class Written:
    """Whose memories are meant: all that is given must hold; `hidden` takes hidden ones too.

    `writer` is a principal, a connecting program's name or a tool's.
    """

    writer: str
    since: datetime
    until: datetime | None = None
    tool: str | None = None
    session: str | None = None
    run: str | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """A memory in short, with when and by whom it was stored."""

    id: int
    stored_at: datetime
    tool: str
    writer: str
    excerpt: str


async def chosen(tx: Transaction, written: Written) -> list[Trace]:
    """Return the memories of this space that are meant, by number."""
    values = {name: getattr(written, name) for name in Written.__slots__}
    rows = await tx.all(CHOSEN, {"owner": tx.owner, "space": tx.space, **values})
    return [Trace(**row._mapping) for row in rows]


async def derived(tx: Transaction, ids: Sequence[int]) -> list[Trace]:
    """Return the memories beside `ids` that were derived from any of them."""
    rows = await tx.all(DERIVED, {"owner": tx.owner, "space": tx.space, "ids": list(ids)})
    return [Trace(**row._mapping) for row in rows]
