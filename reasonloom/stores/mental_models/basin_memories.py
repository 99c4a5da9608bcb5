"""The memories that clusters are made of, with the vectors of their plain contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import text

from reasonloom.stores.memory.search.scope import VISIBLE
from reasonloom.stores.vectors import SECTOR_BIT

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

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
