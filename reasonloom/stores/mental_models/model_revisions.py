"""Revisions of mental models, and the basins that were removed from a model."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.statements import load, values_of

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A revision; `accuracy_after` was measured on `tested` predictions."""

    id: UUID
    model: UUID
    version: int
    trigger: str
    added: list[UUID]
    removed: list[UUID]
    accuracy_before: float
    accuracy_after: float
    tested: int
    client: str | None
    made_at: datetime


async def add(tx: Transaction, revision: RevisionRow) -> None:
    """Store a revision of a locked model."""
    await tx.run(SQL.add, values_of(revision))


async def newest(tx: Transaction, model: UUID, most: int) -> list[RevisionRow]:
    """Return a model's revisions, newest first."""
    return await tx.rows(RevisionRow, SQL.of_model, {"model": model, "most": most})


async def former_basins(tx: Transaction, model: UUID | None) -> list[UUID]:
    """Return the basins that were removed from a model and not added again."""
    return await tx.column(SQL.former, {"model": model})
