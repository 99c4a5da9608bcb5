"""The edges that join some memories to each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

JOINING = """
SELECT e.source_id, e.target_id, e.type, e.weight, e.reason
FROM unnest(CAST(:ids AS bigint[])) AS s (id) CROSS JOIN LATERAL (
    SELECT * FROM edges WHERE owner = :owner AND source_id = s.id
        AND target_id = ANY(CAST(:ids AS bigint[])){types} OFFSET 0) e
ORDER BY e.weight DESC, e.source_id, e.target_id, e.type LIMIT CAST(:most AS bigint) + 1
"""
"""Both ends are looked up in the primary key: a memory with very many edges costs no more."""

OF_ANY = text(JOINING.format(types=""))
OF_TYPES = text(JOINING.format(types=" AND type = ANY(CAST(:types AS text[]))"))


@dataclass(frozen=True, slots=True)
class EdgeRow:
    """One edge; `weight` is 0..1, `reason` says why a memory was corrected."""

    source: int
    target: int
    type: str
    weight: float
    reason: str | None


async def joining(
    tx: Transaction, ids: Sequence[int], types: Sequence[str] | None, *, most: int
) -> tuple[list[EdgeRow], bool]:
    """Return the heaviest edges among `ids`, of some types or all, and whether there are more."""
    values = {"owner": tx.owner, "ids": list(ids), "most": most}
    if types is None:
        rows = await tx.tuples(OF_ANY, values)
    else:
        rows = await tx.tuples(OF_TYPES, {**values, "types": list(types)})
    return [EdgeRow(*row) for row in rows[:most]], len(rows) > most
