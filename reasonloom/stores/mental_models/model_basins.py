"""Basin queries of mental models: which basins exist, how near a text is, and their members."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Home:
    """The basin nearest to a text, by cosine similarity to its centroid."""

    basin: UUID
    cosine: float


@dataclass(frozen=True, slots=True)
class Sized:
    """A basin and its size; `models` counts the models that use it, `total` all basins."""

    id: UUID
    name: str
    keywords: list[str]
    coherence: float
    formed_at: datetime
    updated_at: datetime
    members: int
    models: int
    total: int


@dataclass(frozen=True, slots=True)
class Member:
    """A memory of a basin: its id, its strength there, and the beginning of its content."""

    memory_id: int
    strength: float
    excerpt: str


async def known(tx: Transaction, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of `ids` that are basins, locked against deletion until the transaction ends."""
    if not ids:
        return set()
    return set(await tx.column(SQL.known, {"ids": list(ids)}))


async def names(tx: Transaction, ids: Sequence[UUID]) -> dict[UUID, str]:
    """Return the names of existing basins in the order of `ids`."""
    if not ids:
        return {}
    found = dict(await tx.tuples(SQL.names, {"ids": list(ids)}))
    return {each: found[each] for each in ids if each in found}


async def largest(tx: Transaction, most: int) -> Sequence[Sized]:
    """Return the basins with the most memories."""
    return await tx.rows(Sized, SQL.largest, {"most": most})


async def nearest(
    tx: Transaction, vector: Sequence[float], model: str, ids: Sequence[UUID]
) -> Home | None:
    """Return the basin of `ids` nearest to a vector, None if none has a centroid of `model`."""
    if not ids:
        return None
    row = await tx.first(SQL.near, {"ids": list(ids), "vector": vector, "model": model})
    return Home(row.id, float(row.cosine)) if row else None


async def members(
    tx: Transaction, ids: Sequence[UUID], *, most: int, most_text: int
) -> Mapping[UUID, list[Member]]:
    """Return, for each basin, its strongest memories that are not hidden."""
    found: dict[UUID, list[Member]] = {each: [] for each in ids}
    values = {"ids": list(ids), "most": most, "most_text": most_text}
    for row in await tx.all(SQL.members, values) if ids else ():
        found[row.basin].append(Member(row.memory_id, row.strength, row.content))
    return found


@dataclass(frozen=True, slots=True)
class DenseBasin(Sized):
    """A coherent basin that no model uses, with its strongest memories.

    `taken` is whether a model has its name, as shortened to that of a model.
    """

    evidence: list[Member]
    taken: bool

    @classmethod
    def of(cls, *columns: Any) -> Self:
        """Return the basin of a row, whose memories are lists."""
        *sizes, evidence, taken = columns
        return cls(*[*sizes, [Member(*each) for each in evidence], taken])


@dataclass(frozen=True, slots=True)
class FailingRecord:
    """Resolved predictions of an active model near one basin; `wrong` has the newest wrong ones."""

    model: UUID
    basin: UUID | None
    resolved: int
    correct: int
    wrong: list[UUID] | None


async def dense_basins(
    tx: Transaction,
    *,
    least: int,
    coherence: float,
    most: int,
    most_evidence: int,
    most_text: int,
    most_name: int,
) -> Sequence[DenseBasin]:
    """Return coherent basins that no model uses, by members times coherence.

    Limits are of basins, memories of each, and the characters of their contents and names.
    """
    values = {
        "least": least, "coherence": coherence, "most_basins": most,
        "most": most_evidence, "most_text": most_text, "most_name": most_name,
    }  # fmt: skip
    return await tx.rows(DenseBasin.of, SQL.dense, values)


async def failing_predictions(tx: Transaction, *, most: int) -> list[FailingRecord]:
    """Return the outcomes of the predictions of active models, by basin."""
    return await tx.rows(FailingRecord, SQL.records, {"most": most})
