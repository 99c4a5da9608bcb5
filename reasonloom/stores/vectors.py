"""How the vectors of a memory's views are stored: each distinct one once, for its sectors.

A view that adds nothing is the plain content, so that two or three of five vectors differ.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from reasonloom.contracts.memory.tools import SECTORS

SECTOR_BIT: Mapping[str, int] = {sector: 1 << place for place, sector in enumerate(SECTORS)}
"""The bit by which `embeddings.sectors` tells that a vector is this sector's view."""

EVERY_SECTOR = sum(SECTOR_BIT.values())


def bits(sectors: Iterable[str]) -> int:
    """Return the sum of the bits of different sectors, 1 to 31 where there is any."""
    return sum(SECTOR_BIT[sector] for sector in set(sectors))


def distinct(vectors: Mapping[str, Sequence[float]]) -> tuple[list[int], list[str]]:
    """Return the bits of the sectors that share a vector, and each vector as pgvector reads it."""
    shared: dict[tuple[float, ...], int] = {}
    keys = {id(vector): tuple(vector) for vector in vectors.values()}
    for sector, vector in vectors.items():
        key = keys[id(vector)]
        shared[key] = shared.get(key, 0) | SECTOR_BIT[sector]
    return list(shared.values()), [vector_literal(vector) for vector in shared]


def embedding_rows(vectors: Mapping[int, Mapping[str, Sequence[float]]]) -> dict[str, list[Any]]:
    """Return `ids`, `sectors` and `vectors` of the rows to store for the vectors of memories."""
    rows = [
        (memory_id, *row)
        for memory_id, views in vectors.items()
        for row in zip(*distinct(views), strict=True)
    ]
    ids, sectors, written = zip(*rows, strict=True) if rows else ((), (), ())
    return {"ids": list(ids), "sectors": list(sectors), "vectors": list(written)}


def vector_literal(vector: Sequence[float]) -> str:
    """Return a vector as pgvector reads it.

    Six digits say more than a `halfvec` holds (eleven bits) and are read in half the time.
    """
    return _template(len(vector)) % tuple(vector)


@cache
def _template(length: int) -> str:
    """Return how a vector of this length is written: one formatting, in half the time of many."""
    return "[" + ",".join(["%.6g"] * length) + "]"


def index_of(owner: str, model: str) -> str:
    """Return the prefix of the names of an owner's vector indexes.

    `_` and a number follow, the last memory that the index holds; one without it holds all.
    """
    named = json.dumps([owner, model]).encode()
    return f"near_{hashlib.sha256(named).hexdigest()[:32]}"
