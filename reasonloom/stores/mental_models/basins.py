"""Basins and their members, as they are kept from one forming to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from sqlalchemy import ARRAY, Uuid, bindparam, text

from reasonloom.stores.memory.memories import HOLD_OWNER
from reasonloom.stores.mental_models.basin_memories import KINDS, PRESENT, Vectors
from reasonloom.stores.vectors import vector_literal

if TYPE_CHECKING:
    from reasonloom.stores.database import Database, Transaction


COLUMNS = "id, name, named_by, keywords, model, coherence, bound, formed_at, updated_at"
WHOLE = f"SELECT {COLUMNS}, CAST(centroid AS text) AS centroid FROM basins WHERE owner = :owner"  # noqa: S608 - names of columns, no values
ALL = text(f"{WHOLE} ORDER BY id")
SOME = text(f"{WHOLE} AND id = ANY(:ids) ORDER BY id").bindparams(
    bindparam("ids", type_=ARRAY(Uuid))
)
CHANGED = text("SELECT max(updated_at) AS at FROM basins WHERE owner = :owner")
MEMBERS = text(f"""
SELECT k.basin, k.memory_id, k.strength FROM basin_members k
JOIN memories m ON m.owner = k.owner AND m.id = k.memory_id
WHERE k.owner = :owner AND {PRESENT} ORDER BY k.basin, k.memory_id
""")  # noqa: S608 - our own condition, no values
EMPTY = text("DELETE FROM basin_members WHERE owner = :owner")
GONE = text("DELETE FROM basins WHERE owner = :owner AND NOT id = ANY(:ids)").bindparams(
    bindparam("ids", type_=ARRAY(Uuid))
)
KEEP = text("""
INSERT INTO basins (owner, id, name, named_by, keywords, centroid, model, coherence, bound,
    formed_at, updated_at)
VALUES (:owner, :id, :name, :named_by, :keywords, CAST(:centroid AS halfvec), :model, :coherence,
    :bound, :at, :at)
ON CONFLICT (owner, id) DO UPDATE SET name = excluded.name, named_by = excluded.named_by,
    keywords = excluded.keywords, centroid = excluded.centroid, model = excluded.model,
    coherence = excluded.coherence, bound = excluded.bound, updated_at = excluded.updated_at
""").bindparams(bindparam("id", type_=Uuid))
JOIN = text("""
INSERT INTO basin_members (owner, basin, memory_id, strength)
SELECT :owner, joined.basin, m.id, joined.strength
FROM unnest(CAST(:basins AS uuid[]), CAST(:ids AS bigint[]), CAST(:strengths AS float8[]))
    AS joined (basin, id, strength)
JOIN memories m ON m.owner = :owner AND m.id = joined.id
ON CONFLICT DO NOTHING
""")
RUN = text("""
SELECT formed_at, model, memories, formed_through, joined_through FROM basin_runs
WHERE owner = :owner
""")
NOTE = text("""
INSERT INTO basin_runs (owner, formed_at, model, memories, formed_through, joined_through)
VALUES (:owner, :formed_at, :model, :memories, :formed_through, :joined_through)
ON CONFLICT (owner) DO UPDATE SET formed_at = excluded.formed_at, model = excluded.model,
    memories = excluded.memories, formed_through = excluded.formed_through,
    joined_through = excluded.joined_through
""")
BATCH = 5_000


@dataclass(frozen=True, slots=True)
class Basin:
    """A cluster of memories without its members.

    Attributes:
        named_by: the language model that named it, or `terms`.
        centroid: the mean of its core members' vectors, of length 1.
        coherence: the mean cosine of these to the centroid.
        bound: the least cosine to the centroid by which a memory joins.
    """

    id: UUID
    name: str
    named_by: str
    keywords: list[str]
    model: str
    coherence: float
    bound: float
    centroid: Vectors
    formed_at: datetime | None = None
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class BasinRun:
    """When and of how many memories basins were formed, and the last that was looked at."""

    formed_at: datetime
    model: str
    memories: int
    formed_through: int
    joined_through: int


@dataclass(frozen=True, slots=True)
class KnownBasins:
    """All basins of an owner, the members of each that count, and the last run, if any."""

    basins: list[Basin]
    members: Mapping[UUID, Mapping[int, float]]
    run: BasinRun | None = None


async def basins(tx: Transaction, ids: Sequence[UUID] | None = None) -> list[Basin]:
    """Return the owner's basins, or those of `ids` that are there."""
    named = {} if ids is None else {"ids": list(ids)}
    rows = await tx.all(ALL if ids is None else SOME, {"owner": tx.owner, **named})
    return [_basin(dict(row._mapping)) for row in rows]


def _basin(row: Mapping[str, Any]) -> Basin:
    centroid = np.fromstring(row["centroid"].strip("[]"), dtype=np.float32, sep=",")
    return Basin(**{**row, "centroid": centroid})


async def last_changed(tx: Transaction) -> datetime | None:
    """Return when the newest of the owner's basins was formed, None where there is none."""
    row = await tx.first(CHANGED, {"owner": tx.owner})
    return row.at if row else None


async def members(tx: Transaction) -> dict[UUID, dict[int, float]]:
    """Return the members of each basin that count, with their strengths."""
    values = {"owner": tx.owner, "space": tx.space, "kinds": list(KINDS)}
    found: dict[UUID, dict[int, float]] = {}
    for basin, memory, strength in await tx.tuples(MEMBERS, values):
        found.setdefault(basin, {})[memory] = strength
    return found


async def last_run(tx: Transaction) -> BasinRun | None:
    """Return what is known of the last forming, None where there was none."""
    row = await tx.first(RUN, {"owner": tx.owner})
    return BasinRun(**row._mapping) if row else None


async def known(tx: Transaction) -> KnownBasins:
    """Return all that forming must know of what there is."""
    return KnownBasins(await basins(tx), await members(tx), await last_run(tx))


async def hold(tx: Transaction) -> BasinRun | None:
    """Hold the owner's row, as whoever stores or removes memories does; return the last run."""
    await tx.all(HOLD_OWNER, {"owner": tx.owner})
    return await last_run(tx)


async def replace(
    tx: Transaction,
    formed: Sequence[Basin],
    joined: Mapping[UUID, Mapping[int, float]],
    at: datetime,
) -> None:
    """Make `formed` the owner's only basins, with these members."""
    await tx.run(GONE, {"owner": tx.owner, "ids": [each.id for each in formed]})
    await tx.run(EMPTY, {"owner": tx.owner})
    for each in formed:
        await tx.run(KEEP, {"owner": tx.owner, "at": at, **_row(each)})
    await join(tx, ((basin, one, how) for basin in joined for one, how in joined[basin].items()))


def _row(basin: Basin) -> dict[str, Any]:
    return {
        "id": basin.id, "name": basin.name, "named_by": basin.named_by,
        "keywords": basin.keywords, "centroid": vector_literal(basin.centroid.tolist()),
        "model": basin.model, "coherence": basin.coherence, "bound": basin.bound,
    }  # fmt: skip


async def join(tx: Transaction, joined: Iterable[tuple[UUID, int, float]]) -> None:
    """Add members to basins, those whose memories are there."""
    rows = list(joined)
    for start in range(0, len(rows), BATCH):
        names, ids, strengths = zip(*rows[start : start + BATCH], strict=True)
        values = {"basins": list(names), "ids": list(ids), "strengths": list(strengths)}
        await tx.run(JOIN, {"owner": tx.owner, **values})


async def note(tx: Transaction, run: BasinRun) -> None:
    """Keep what a run saw."""
    values = {name: getattr(run, name) for name in BasinRun.__slots__}
    await tx.run(NOTE, {"owner": tx.owner, **values})


CLAIM = text("""
UPDATE spaces SET clustered_at = :at WHERE (owner, space) IN (
    SELECT owner, space FROM spaces
    WHERE space = '' AND (clustered_at IS NULL OR clustered_at < :due)
    ORDER BY clustered_at NULLS FIRST, owner LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED)
RETURNING owner
""")


async def claim_owner(database: Database, *, at: datetime, due: datetime) -> str | None:
    """Take the owner that was looked at the longest ago, before `due`, and mark it as looked at.

    What is marked nobody else takes; where its carrier dies, it is late until it is due again.
    """
    async with database.recovering() as connection:
        row = (await connection.execute(CLAIM, {"at": at, "due": due})).first()
    return str(row.owner) if row else None
