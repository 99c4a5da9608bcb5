"""Memories that share a basin with one that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import TextClause, Uuid, bindparam, text

from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.search.scope import Scope

HOMES = text("""
SELECT memory_id, basin FROM basin_members WHERE owner = :owner AND memory_id = ANY(:ids)
""")
PLAIN = f"e.model = :model AND e.sectors & {SECTOR_BIT['semantic']} <> 0"
SIBLINGS = f"""
SELECT m.id, least(1, greatest(0, 1 - (e.embedding <=> lead.embedding))) AS cosine
FROM embeddings lead, basin_members k
JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
JOIN embeddings e ON e.owner = k.owner AND e.memory_id = k.memory_id AND {PLAIN}
WHERE lead.owner = :owner AND lead.memory_id = :lead AND lead.model = :model
    AND lead.sectors & {SECTOR_BIT["semantic"]} <> 0
    AND k.owner = :owner AND k.basin = :basin AND NOT k.memory_id = ANY(:ids) AND {{where}}
ORDER BY cosine DESC, m.id LIMIT :most
"""  # noqa: S608 - our own conditions, no values


@dataclass(frozen=True, slots=True)
class Sibling:
    """A memory of the same basin, and its cosine with the one that led there, 0..1."""

    id: int
    cosine: float


async def homes(tx: Transaction, ids: Sequence[int]) -> dict[int, UUID]:
    """Return the basin of each memory that has one."""
    rows = await tx.all(HOMES, {"owner": tx.owner, "ids": list(ids)})
    return {row.memory_id: row.basin for row in rows}


async def siblings(
    tx: Transaction,
    lead: int,
    basin: UUID,
    *,
    model: str,
    scope: Scope,
    without: Sequence[int],
    most: int,
) -> list[Sibling]:
    """Return the members of a basin within `scope` that are most like `lead`."""
    values = {
        **scope.values(tx.owner), "lead": lead, "basin": basin, "model": model,
        "ids": list(without), "most": most,
    }  # fmt: skip
    rows = await tx.all(_statement(scope.where()), values)
    return [Sibling(row.id, float(row.cosine)) for row in rows]


@cache
def _statement(where: str) -> TextClause:
    return text(SIBLINGS.format(where=where)).bindparams(bindparam("basin", type_=Uuid))
