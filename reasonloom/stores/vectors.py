"""Storage format of the vectors of a memory's views: each distinct one once, with its sectors.

A view that adds nothing equals the plain content, so only two or three of five vectors differ.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from reasonloom.contracts.memory.tools import SECTORS

SECTOR_BIT: Mapping[str, int] = {sector: 1 << place for place, sector in enumerate(SECTORS)}
"""The bit in `embeddings.sectors` that marks a vector as this sector's view."""

EVERY_SECTOR = sum(SECTOR_BIT.values())


def bits(sectors: Iterable[str]) -> int:
    """Return the bit mask of some sectors, 1 to 31 if there are any."""
    return sum(SECTOR_BIT[sector] for sector in set(sectors))


def distinct(vectors: Mapping[str, Sequence[float]]) -> tuple[list[int], list[str]]:
    """Return each distinct vector's sector bit mask, and the vectors in pgvector's text format."""
    shared: dict[tuple[float, ...], int] = {}
    keys = {id(vector): tuple(vector) for vector in vectors.values()}
    for sector, vector in vectors.items():
        key = keys[id(vector)]
        shared[key] = shared.get(key, 0) | SECTOR_BIT[sector]
    return list(shared.values()), [vector_literal(vector) for vector in shared]


def embedding_rows(vectors: Mapping[int, Mapping[str, Sequence[float]]]) -> dict[str, list[Any]]:
    """Return the columns `ids`, `sectors` and `vectors` to store for the vectors of memories."""
    rows = [
        (memory_id, *row)
        for memory_id, views in vectors.items()
        for row in zip(*distinct(views), strict=True)
    ]
    ids, sectors, written = zip(*rows, strict=True) if rows else ((), (), ())
    return {"ids": list(ids), "sectors": list(sectors), "vectors": list(written)}


def vector_literal(vector: Sequence[float]) -> str:
    """Return a vector in pgvector's text format.

    Six digits exceed the precision of a `halfvec` (eleven bits) and are parsed in half the time.
    """
    return _template(len(vector)) % tuple(vector)


@cache
def _template(length: int) -> str:
    """Return the format string for a vector: formatting once takes half the time of many."""
    return "[" + ",".join(["%.6g"] * length) + "]"


def index_of(owner: str, model: str) -> str:
    """Return the name prefix of an owner's vector indexes for a model.

    `_` and the last memory that the index covers follow; an index without them covers all.
    """
    named = json.dumps([owner, model]).encode()
    return f"near_{hashlib.sha256(named).hexdigest()[:32]}"
