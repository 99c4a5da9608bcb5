"""Revisions of mental models, and which basins a model had and has no more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

MODEL = bindparam("model", type_=Uuid)
ADD = text("""
INSERT INTO model_revisions (owner, id, model, version, trigger, added, removed,
    accuracy_before, accuracy_after, tested, client, made_at)
VALUES (:owner, :id, :model, :version, :trigger, :added, :removed,
    :accuracy_before, :accuracy_after, :tested, :client, :made_at)
""").bindparams(
    MODEL,
    bindparam("id", type_=Uuid),
    bindparam("added", type_=ARRAY(Uuid)),
    bindparam("removed", type_=ARRAY(Uuid)),
)
OF_MODEL = text("""
SELECT id, model, version, trigger, added, removed, accuracy_before, accuracy_after, tested,
    client, made_at
FROM model_revisions WHERE owner = :owner AND model = :model ORDER BY version DESC LIMIT :most
""").bindparams(MODEL)
FORMER = text("""
SELECT DISTINCT gone.basin FROM model_revisions r CROSS JOIN LATERAL unnest(r.removed) gone (basin)
WHERE r.owner = :owner AND r.model = :model AND NOT EXISTS (SELECT FROM model_basins b
    WHERE b.owner = :owner AND b.model = :model AND b.basin = gone.basin)
""").bindparams(MODEL)


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """One revision; `tested` predictions gave `accuracy_after`."""

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
    """Keep a revision of a held model."""
    values = {name: getattr(revision, name) for name in RevisionRow.__slots__}
    await tx.run(ADD, {"owner": tx.owner, **values})


async def newest(tx: Transaction, model: UUID, most: int) -> list[RevisionRow]:
    """Return a model's revisions, the newest first."""
    rows = await tx.tuples(OF_MODEL, {"owner": tx.owner, "model": model, "most": most})
    return [RevisionRow(*row) for row in rows]


async def former_basins(tx: Transaction, model: UUID) -> list[UUID]:
    """Return the basins that were removed from a model and not added again."""
    return [row.basin for row in await tx.all(FORMER, {"owner": tx.owner, "model": model})]
