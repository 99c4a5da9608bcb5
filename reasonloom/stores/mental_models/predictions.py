"""Predictions of mental models: made on a text, open until they are resolved or expire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from pgvector.sqlalchemy import HALFVEC
from sqlalchemy import ARRAY, Boolean, Uuid, bindparam, text

from reasonloom.errors import PredictionNotFound
from reasonloom.stores.identifiers import parse_uuid

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


ID = bindparam("id", type_=Uuid)
MODEL = bindparam("model", type_=Uuid)
BASINS = bindparam("basins", type_=ARRAY(Uuid))
FORMER = bindparam("former", type_=ARRAY(Uuid))

ADD = text("""
INSERT INTO predictions (owner, id, model, template, content, suggest, confidence, context,
    likeness, matched_by, basin, vector, embedder, version, tool, made_at, expires_at)
VALUES (:owner, :id, :model, :template, :content, :suggest, :confidence, :context, :likeness,
    :matched_by, :basin, :vector, :embedder, :version, :tool, :made_at, :expires_at)
ON CONFLICT DO NOTHING
""").bindparams(ID, MODEL, bindparam("basin", type_=Uuid), bindparam("vector", type_=HALFVEC()))
SEE = """
SELECT p.id, p.model, p.template, t.trigger, p.content, p.suggest, p.confidence, p.context,
    p.likeness, p.matched_by, p.basin, p.version, p.tool, p.made_at, p.expires_at,
    p.observation, p.correct, p.judged_by, p.resolved_at
FROM predictions p JOIN model_templates t
    ON t.owner = p.owner AND t.model = p.model AND t.number = p.template
WHERE p.owner = :owner
"""
ONE = text(f"{SEE} AND p.id = :id").bindparams(ID)
HELD = text(f"{SEE} AND p.id = :id FOR UPDATE OF p").bindparams(ID)
NEWEST = text(
    f"{SEE} AND p.model = :model ORDER BY p.made_at DESC, p.id DESC LIMIT :most"
).bindparams(MODEL)
OPEN = text("""
SELECT id, confidence FROM predictions WHERE owner = :owner AND model = :model
    AND template = :template AND context = :context AND correct IS NULL AND expires_at > :now
ORDER BY made_at DESC, id LIMIT 1
""").bindparams(MODEL)
RESOLVE = text("""
UPDATE predictions SET observation = :observation, correct = :correct, judged_by = :judged_by,
    resolved_at = :now
WHERE owner = :owner AND id = :id
""").bindparams(ID, bindparam("correct", type_=Boolean))
RECORD = text("""
SELECT template, basin, count(*) AS resolved, count(*) FILTER (WHERE correct) AS correct
FROM predictions WHERE owner = :owner AND model = :model AND correct IS NOT NULL
GROUP BY template, basin
""").bindparams(MODEL)
BACK_TEST = text("""
SELECT count(*) AS tested, count(*) FILTER (WHERE p.correct) AS correct
FROM predictions p LEFT JOIN LATERAL (
    SELECT near.id FROM (
        SELECT b.id, CASE WHEN b.model = p.embedder THEN 1 - (b.centroid <=> p.vector) END AS cosine
        FROM basins b WHERE b.owner = p.owner AND b.id = ANY(CAST(:basins AS uuid[]) || :former)
    ) near
    WHERE near.cosine > :floor ORDER BY near.cosine DESC, near.id LIMIT 1) home ON true
WHERE p.owner = :owner AND p.model = :model AND p.correct IS NOT NULL
    AND (home.id IS NULL OR home.id = ANY(:basins))
""").bindparams(MODEL, BASINS, FORMER)


@dataclass(frozen=True, slots=True)
class NewPrediction:
    """A prediction to be kept; `vector` is the context's, of the model `embedder`."""

    id: UUID
    model: UUID
    template: int
    content: str
    suggest: str | None
    confidence: float
    context: str
    likeness: float
    matched_by: str
    basin: UUID | None
    vector: Sequence[float] | None
    embedder: str | None
    version: int
    tool: str
    made_at: datetime
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """A prediction as stored; `correct` is None while nothing came of it."""

    id: UUID
    model: UUID
    template: int
    trigger: str
    content: str
    suggest: str | None
    confidence: float
    context: str
    likeness: float
    matched_by: str
    basin: UUID | None
    version: int
    tool: str
    made_at: datetime
    expires_at: datetime
    observation: str | None
    correct: bool | None
    judged_by: str | None
    resolved_at: datetime | None

    def state(self, now: datetime) -> str:
        """Return `open`, `resolved` or `expired`."""
        if self.correct is not None:
            return "resolved"
        return "expired" if self.expires_at <= now else "open"


@dataclass(frozen=True, slots=True)
class Tally:
    """Resolved predictions of one template on texts near one basin (None: near none)."""

    template: int
    basin: UUID | None
    resolved: int
    correct: int


async def add(tx: Transaction, new: NewPrediction) -> None:
    """Keep a prediction; one of the same id is the same."""
    values = {name: getattr(new, name) for name in NewPrediction.__slots__}
    await tx.run(ADD, {"owner": tx.owner, **values})


async def add_once(tx: Transaction, new: NewPrediction) -> NewPrediction:
    """Keep a prediction unless the same one on the same text is open; return the one kept."""
    values = {"owner": tx.owner, "model": new.model, "template": new.template}
    more = {"context": new.context, "now": new.made_at}
    row = await tx.first(OPEN, {**values, **more})
    if row is not None:
        return replace(new, id=row.id, confidence=row.confidence)
    await add(tx, new)
    return new


async def require(tx: Transaction, prediction_id: str, *, hold: bool = False) -> PredictionRow:
    """Return a prediction; with `hold` nobody else resolves it until the transaction ends.

    Raises:
        PredictionNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(prediction_id)
    statement: Any = HELD if hold else ONE
    row = wanted and await tx.first(statement, {"owner": tx.owner, "id": wanted})
    if not row:
        raise PredictionNotFound(prediction_id, field="prediction_id")
    return PredictionRow(**row._mapping)


async def newest(tx: Transaction, model: UUID, most: int) -> list[PredictionRow]:
    """Return a model's predictions, the newest first."""
    values = {"owner": tx.owner, "model": model, "most": most}
    return [PredictionRow(*row) for row in await tx.tuples(NEWEST, values)]


async def resolve(
    tx: Transaction,
    prediction: PredictionRow,
    *,
    observation: str | None,
    correct: bool,
    judged_by: str,
    now: datetime,
) -> None:
    """Write what came of a held prediction."""
    values = {"observation": observation, "correct": correct, "judged_by": judged_by, "now": now}
    await tx.run(RESOLVE, {"owner": tx.owner, "id": prediction.id, **values})


async def record(tx: Transaction, model: UUID) -> list[Tally]:
    """Return what came of a model's predictions, by template and basin."""
    rows = await tx.tuples(RECORD, {"owner": tx.owner, "model": model})
    return [Tally(*row) for row in rows]


async def back_test(
    tx: Transaction,
    model: UUID,
    *,
    basins: Sequence[UUID],
    former: Sequence[UUID],
    floor: float,
) -> tuple[int, int]:
    """Return how many resolved predictions the model would make with `basins`, and how many hold.

    It would not make those whose context is nearest to a basin that it had and has no more.
    """
    values = {"owner": tx.owner, "model": model, "floor": floor}
    row = await tx.first(BACK_TEST, {**values, "basins": list(basins), "former": list(former)})
    return (int(row.tested), int(row.correct)) if row else (0, 0)


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


class CalibrationStep(NamedTuple):
    """Resolved predictions of `step`/10 up to the next tenth; `confidence` is their mean."""

    step: int
    resolved: int
    correct: int
    confidence: float

    @property
    def share(self) -> float:
        """How many of them held, 0..1."""
        return self.correct / self.resolved


class PredictionStates(NamedTuple):
    """How many predictions wait, were resolved, or expired."""

    open: int
    resolved: int
    expired: int


async def calibration_steps(tx: Transaction, model: UUID) -> list[CalibrationStep]:
    """Return the steps that hold any resolved prediction, the least confident first."""
    rows = await tx.tuples(READ, {"owner": tx.owner, "model": model})
    return [CalibrationStep(*row) for row in rows]


async def prediction_states(tx: Transaction, model: UUID, now: object) -> PredictionStates:
    """Return how a model's predictions stand at a moment."""
    row = await tx.first(STATES, {"owner": tx.owner, "model": model, "now": now})
    return PredictionStates._make(row) if row else PredictionStates(0, 0, 0)
