"""Reads memories for export, page by page, with their links and vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.memories import MemoryFields
from reasonloom.stores.statements import columns, load


@dataclass(frozen=True, slots=True)
class Extent:
    """The number of memories to export, and the id of the last."""

    memories: int
    last: int


@dataclass(frozen=True, slots=True)
class ExportRow(MemoryFields):
    """A memory with everything that belongs to it.

    `edges` and `vectors` are in JSON form, each vector in pgvector's text format.
    """

    event_type: str
    decayed_at: datetime | None
    deleted_at: datetime | None
    decay_rate: float
    access_count: int
    project: str | None
    effect: UUID
    session_name: str | None
    edges: list[dict[str, Any]]
    vectors: list[dict[str, Any]]


JOINED = ("session_name", "superseded_by", "edges", "vectors")
SQL = load(__file__, columns=columns(ExportRow, "m", without=JOINED))


async def extent(tx: Transaction, *, hidden: bool) -> Extent:
    """Return the extent of the space now, with hidden memories or without."""
    row = await tx.one(SQL.count, {"hidden": hidden})
    return Extent(row.memories, row.last)


async def page(
    tx: Transaction, *, after: int, last: int, size: int, hidden: bool, model: str | None
) -> Sequence[ExportRow]:
    """Return the next memories by id, above `after` and up to `last`.

    Only links within the whole export are included, and vectors of `model`.
    """
    values = {"hidden": hidden, "model": model, "after": after, "last": last, "size": size}
    rows = await tx.all(SQL.page, values)
    return [ExportRow(**row._asdict()) for row in rows]
