"""What proposals of mental models rest on: dense basins without a model, and records of failure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text

from reasonloom.stores.mental_models.model_basins import SIZES, Sized

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

DENSE = text(f"""
SELECT * FROM ({SIZES}) sized WHERE members >= :least AND models = 0 AND coherence >= :coherence
ORDER BY members * coherence DESC, name, id LIMIT :most
""")  # noqa: S608 - our own query, no values
RECORDS = text("""
SELECT p.model, p.basin, count(*) AS resolved, count(*) FILTER (WHERE p.correct) AS correct,
    (array_agg(p.id ORDER BY p.resolved_at DESC) FILTER (WHERE NOT p.correct))[
        1:CAST(:most AS integer)] AS wrong
FROM predictions p JOIN models m ON m.owner = p.owner AND m.id = p.model AND m.status = 'active'
WHERE p.owner = :owner AND p.correct IS NOT NULL
GROUP BY p.model, p.basin ORDER BY p.model, p.basin
""")


@dataclass(frozen=True, slots=True)
class Failing:
    """Resolved predictions of an active model near one basin; the newest `wrong` ones."""

    model: UUID
    basin: UUID | None
    resolved: int
    correct: int
    wrong: list[UUID] | None


async def dense(tx: Transaction, *, least: int, coherence: float, most: int) -> Sequence[Sized]:
    """Return basins that no model is made of, those with the most memories alike first."""
    values = {"owner": tx.owner, "least": least, "coherence": coherence, "most": most}
    return [Sized(*row) for row in await tx.tuples(DENSE, values)]


async def records(tx: Transaction, *, most: int) -> list[Failing]:
    """Return what came of the predictions of active models, by basin."""
    rows = await tx.tuples(RECORDS, {"owner": tx.owner, "most": most})
    return [Failing(*row) for row in rows]
