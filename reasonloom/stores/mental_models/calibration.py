"""How confident a model's predictions were, and how many of them held: both by steps of a tenth."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import Uuid, bindparam, text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

STEPS = 10
READ = text(f"""
SELECT step, count(*), count(*) FILTER (WHERE correct), avg(confidence) FROM (
    SELECT least({STEPS} - 1, greatest(0, floor(confidence * {STEPS})))::integer AS step,
        confidence, correct
    FROM predictions WHERE owner = :owner AND model = :model AND correct IS NOT NULL) resolved
GROUP BY step ORDER BY step
""").bindparams(bindparam("model", type_=Uuid))  # noqa: S608 - our own number, no values
STATES = text("""
SELECT count(*) FILTER (WHERE correct IS NULL AND expires_at > :now),
    count(*) FILTER (WHERE correct IS NOT NULL),
    count(*) FILTER (WHERE correct IS NULL AND expires_at <= :now)
FROM predictions WHERE owner = :owner AND model = :model
""").bindparams(bindparam("model", type_=Uuid))


class Step(NamedTuple):
    """Resolved predictions of `step`/10 up to the next tenth; `confidence` is their mean."""

    step: int
    resolved: int
    correct: int
    confidence: float

    @property
    def share(self) -> float:
        """How many of them held, 0..1."""
        return self.correct / self.resolved


class States(NamedTuple):
    """How many predictions wait, were resolved, or expired."""

    open: int
    resolved: int
    expired: int


async def steps(tx: Transaction, model: UUID) -> list[Step]:
    """Return the steps that hold any resolved prediction, the least confident first."""
    rows = await tx.tuples(READ, {"owner": tx.owner, "model": model})
    return [Step(*row) for row in rows]


async def states(tx: Transaction, model: UUID, now: object) -> States:
    """Return how a model's predictions stand at a moment."""
    row = await tx.first(STATES, {"owner": tx.owner, "model": model, "now": now})
    return States._make(row) if row else States(0, 0, 0)
