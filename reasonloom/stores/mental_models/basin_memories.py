"""The memories that clusters are made of, with the vectors of their plain contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import TextClause, Uuid, bindparam, text

from reasonloom.stores.memory.search.scope import VISIBLE
from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.memory_lists import MemoryFilter
    from reasonloom.stores.memory.search.scope import Scope


KINDS = ("user", "tool", "transcript")
"""What reasoning derived makes no cluster: it says again what it was derived from."""

PRESENT = f"{VISIBLE} AND m.space = :space"
"""A memory that counts as a member: the space's own, neither hidden nor superseded."""

EMBEDDED = f"""FROM memories m JOIN embeddings e ON e.owner = m.owner AND e.memory_id = m.id
    AND e.model = :model AND e.sectors & {SECTOR_BIT["semantic"]} <> 0
WHERE {PRESENT}"""
IDS = text(f"SELECT m.id {EMBEDDED} AND m.id > :after ORDER BY m.id")
VECTORS = text(f"""
SELECT m.id, halfvec_send(e.embedding) {EMBEDDED} AND m.id = ANY(:ids) ORDER BY m.id
""")
COUNTED = text(f"""
SELECT count(*) FILTER (WHERE m.id <= :after) AS until,
    count(*) FILTER (WHERE m.id > :after) AS since
FROM memories m WHERE {PRESENT}
""")  # noqa: S608 - our own condition, no values
CONTENTS = text("""
SELECT id, left(content, :most) FROM memories
WHERE owner = :owner AND id = ANY(:ids) ORDER BY id
""")
HEADER = 4
"""Bytes before the numbers in pgvector's binary form: the dimension, and two unused."""

Vectors = NDArray[np.float32]


def _values(tx: Transaction, **more: Any) -> dict[str, Any]:
    return {"owner": tx.owner, "space": tx.space, "kinds": list(KINDS), **more}


async def embedded_ids(tx: Transaction, model: str, *, after: int = 0) -> list[int]:
    """Return the numbers above `after` of the memories that have a vector of `model`, rising."""
    return [row[0] for row in await tx.tuples(IDS, _values(tx, model=model, after=after))]


async def vectors(tx: Transaction, model: str, ids: Sequence[int]) -> tuple[list[int], Vectors]:
    """Return those of `ids` that still are there, rising, and their vectors of length 1."""
    rows = await tx.tuples(VECTORS, _values(tx, model=model, ids=list(ids)))
    if not rows:
        return [], np.zeros((0, 0), dtype=np.float32)
    known = [row[0] for row in rows]
    read = np.stack([np.frombuffer(row[1], dtype=">f2", offset=HEADER) for row in rows])
    raw = read.astype(np.float32)
    lengths = np.linalg.norm(raw, axis=1, keepdims=True)
    return known, raw / np.maximum(lengths, 1e-12)


async def counted(tx: Transaction, after: int) -> tuple[int, int]:
    """Return how many memories count, numbered up to `after` and above it."""
    row = await tx.first(COUNTED, _values(tx, after=after))
    return (int(row.until), int(row.since)) if row else (0, 0)


async def contents(tx: Transaction, ids: Sequence[int], *, most: int) -> dict[int, str]:
    """Return how the contents of memories begin, `most` characters of each."""
    values = {"owner": tx.owner, "ids": list(ids), "most": most}
    return dict(await tx.tuples(CONTENTS, values))


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


async def basins_of(tx: Transaction, ids: Sequence[int]) -> dict[int, UUID]:
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


async def sample(
    tx: Transaction, chosen: MemoryFilter, model: str, *, total: int, most: int
) -> Sample:
    """Return up to about `most` of the `total` memories that are chosen, the same at each call."""
    share = SLOTS if total <= most else SLOTS * most // total
    values = {**chosen.values(tx), "model": model, "most": most, "share": share}
    rows = await tx.tuples(chosen.statement(SAMPLE), values)
    known = [row for row in rows if row[4] is not None]
    read = [np.frombuffer(row[4], dtype=">f2", offset=HEADER) for row in known]
    vectors = np.stack(read).astype(np.float32) if read else np.zeros((0, 0), dtype=np.float32)
    return Sample([Point(*row[:4]) for row in known], vectors, len(rows) - len(known))


async def basin_names(tx: Transaction, ids: Sequence[int]) -> dict[int, str]:
    """Return the name of the basin that each memory belongs to most, of those that have one."""
    rows = await tx.tuples(BASINS, {"owner": tx.owner, "ids": list(ids)})
    return {row[0]: row[1] for row in rows}
