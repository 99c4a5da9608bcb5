"""Lists of basins with their sizes and models, their activity, and the relations between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models.basin_memories import KINDS, PRESENT
from reasonloom.stores.statements import load

MOST_NAMES = 300
SQL = load(__file__, most_names=MOST_NAMES, present=PRESENT)


class ListedBasin(NamedTuple):
    """A basin; `members` counts its memories without hidden ones, `models` those that use it."""

    id: UUID
    name: str
    named_by: str
    keywords: list[str]
    coherence: float
    formed_at: datetime
    updated_at: datetime
    members: int
    models: int


class Strongest(NamedTuple):
    """A memory of a basin: its membership strength, 0..1, and the beginning of its content."""

    memory_id: int
    strength: float
    excerpt: str


async def page(tx: Transaction, size: int, skip: int, *, without_model: bool) -> list[ListedBasin]:
    """Return basins, largest first; with `without_model` only those that no model uses."""
    values = {"size": size, "skip": skip, "without_model": without_model}
    return await tx.rows(ListedBasin, SQL.page, values)


async def count(tx: Transaction, *, without_model: bool) -> int:
    """Return the number of such basins."""
    return await tx.number(SQL.count, {"without_model": without_model})


async def by_ids(tx: Transaction, ids: Sequence[UUID]) -> list[ListedBasin]:
    """Return the basins of `ids` that exist, largest first."""
    return await tx.rows(ListedBasin, SQL.some, {"ids": list(ids)}) if ids else []


async def names(tx: Transaction) -> dict[UUID, str]:
    """Return the names of basins, a few hundred at most."""
    return dict(await tx.tuples(SQL.names))


async def strongest(
    tx: Transaction, ids: Sequence[UUID], *, most: int, longest: int
) -> dict[UUID, list[Strongest]]:
    """Return the strongest memories of basins; fewer if too many of them are hidden."""
    found: dict[UUID, list[Strongest]] = {}
    values = {"ids": list(ids), "most": most, "longest": longest}
    for basin, *member in await tx.tuples(SQL.strongest, values) if ids else ():
        found.setdefault(basin, []).append(Strongest(*member))
    return {basin: members[:most] for basin, members in found.items()}


STRONGEST_LINKS = 10
"""Members whose activity determines that of their basin."""


@dataclass(frozen=True, slots=True)
class BasinActivity:
    """The number of a basin's countable members, and its activation, 0..1."""

    members: int
    activation: float


@dataclass(frozen=True, slots=True)
class BasinLinks:
    """The edges of one type from a basin's members to another's; `weight` is the sum of their
    weights, each multiplied by the weaker of the two memberships."""

    source: UUID
    target: UUID
    type: str
    count: int
    weight: float


@dataclass(frozen=True, slots=True)
class BasinOrder:
    """The number of sessions in which the first memory of one basin precedes that of another."""

    source: UUID
    target: UUID
    count: int


async def activity(tx: Transaction, at: datetime, half_life: float) -> dict[UUID, BasinActivity]:
    """Return the activity, at a given time, of each basin with members; `half_life` is in days."""
    values = {"kinds": list(KINDS), "at": at, "half_life": half_life, "most": STRONGEST_LINKS}
    rows = await tx.all(SQL.activity, values)
    return {row.basin: BasinActivity(row.members, min(1.0, float(row.activation))) for row in rows}


async def relations(
    tx: Transaction, ids: Sequence[UUID] | None = None
) -> tuple[list[BasinLinks], list[BasinOrder]]:
    """Return the edges and the chronological order between basins, for all or for `ids`."""
    values = {"kinds": list(KINDS), "ids": list(ids or []), "everything": ids is None}
    links = await tx.rows(BasinLinks, SQL.between, values)
    return links, await tx.rows(BasinOrder, SQL.sessions, values)
