"""Memories as points of a map: a bounded sample of those chosen, with their vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import text

from reasonloom.stores.mental_models.basin_memories import HEADER, Vectors
from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.memory_lists import Chosen

LONGEST = 90
SLOTS = 1 << 16
SAMPLE = f"""
SELECT picked.id, picked.sector, picked.project, picked.content, halfvec_send(e.embedding)
FROM (SELECT m.id, m.sector, m.project, left(m.content, {LONGEST}) AS content FROM memories m
    WHERE {{where}} AND (hashint8(m.id) & {SLOTS - 1}) < :share
    ORDER BY m.id DESC LIMIT :most) picked
LEFT JOIN embeddings e ON e.owner = :owner AND e.memory_id = picked.id AND e.model = :model
    AND e.sectors & {SECTOR_BIT["semantic"]} <> 0
ORDER BY picked.id
"""  # noqa: S608 - our own numbers, no values
"""A number's hash picks the same memories at each look, whatever else the filters let in."""

BASINS = text("""
SELECT DISTINCT ON (k.memory_id) k.memory_id, b.name FROM basin_members k
JOIN basins b ON b.owner = k.owner AND b.id = k.basin
WHERE k.owner = :owner AND k.memory_id = ANY(:ids) ORDER BY k.memory_id, k.strength DESC, b.name
""")


class Point(NamedTuple):
    """A memory that is drawn."""

    id: int
    sector: str
    project: str | None
    content: str


class Sample(NamedTuple):
    """Memories and their vectors, a row each; `without` more had no vector of the model."""

    points: list[Point]
    vectors: Vectors
    without: int


async def sample(tx: Transaction, chosen: Chosen, model: str, *, total: int, most: int) -> Sample:
    """Return up to about `most` of the `total` memories that are chosen, the same at each call."""
    share = SLOTS if total <= most else SLOTS * most // total
    values = {**chosen.values(tx), "model": model, "most": most, "share": share}
    rows = await tx.tuples(chosen.statement(SAMPLE), values)
    known = [row for row in rows if row[4] is not None]
    read = [np.frombuffer(row[4], dtype=">f2", offset=HEADER) for row in known]
    vectors = np.stack(read).astype(np.float32) if read else np.zeros((0, 0), dtype=np.float32)
    return Sample([Point(*row[:4]) for row in known], vectors, len(rows) - len(known))


async def basins_of(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the basin that each memory belongs to most, of those that have one."""
    rows = await tx.tuples(BASINS, {"owner": tx.owner, "ids": list(ids)})
    return {row[0]: row[1] for row in rows}
