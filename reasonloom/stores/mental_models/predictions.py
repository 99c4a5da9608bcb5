"""Predictions of mental models about a text, open until they are resolved or expire."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.errors import PredictionNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.statements import load


@dataclass(frozen=True, slots=True)
class NewPrediction:
    """A prediction to store; `vector` is the context's embedding by the model `embedder`."""

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
    """A prediction as stored; `correct` is None until it is resolved."""

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
    """Resolved predictions of one template for texts near one basin (None: near none)."""

    template: int
    basin: UUID | None
    resolved: int
    correct: int


async def add(tx: Transaction, new: NewPrediction) -> None:
    """Store a prediction, once per id."""
    values = {name: getattr(new, name) for name in NewPrediction.__slots__}
    await tx.run(SQL.add, values)


async def add_once(tx: Transaction, new: NewPrediction) -> NewPrediction:
    """Store a prediction unless the same one for the same text is open; return the stored one."""
    values = {"model": new.model, "template": new.template}
    more = {"context": new.context, "now": new.made_at}
    row = await tx.first(SQL.open, {**values, **more})
    if row is not None:
        return replace(new, id=row.id, confidence=row.confidence)
    await add(tx, new)
    return new


async def require(tx: Transaction, prediction_id: str, *, hold: bool = False) -> PredictionRow:
    """Return a prediction, with `hold` locked until the transaction ends.

    Raises:
        PredictionNotFound: the owner has no such prediction, or the text is not a UUID.
    """
    wanted = parse_uuid(prediction_id)
    statement: Any = SQL.held if hold else SQL.one
    row = wanted and await tx.first(statement, {"id": wanted})
    if not row:
        raise PredictionNotFound(prediction_id, field="prediction_id")
    return PredictionRow(**row._mapping)


async def newest(tx: Transaction, model: UUID, most: int) -> list[PredictionRow]:
    """Return a model's predictions, newest first."""
    return await tx.rows(PredictionRow, SQL.newest, {"model": model, "most": most})


async def resolve(
    tx: Transaction,
    prediction: PredictionRow,
    *,
    observation: str | None,
    correct: bool,
    judged_by: str,
    now: datetime,
) -> None:
    """Store the outcome of a locked prediction."""
    values = {"observation": observation, "correct": correct, "judged_by": judged_by, "now": now}
    await tx.run(SQL.resolve, {"id": prediction.id, **values})


async def record(tx: Transaction, model: UUID) -> list[Tally]:
    """Return the outcomes of a model's predictions, by template and basin."""
    return await tx.rows(Tally, SQL.record, {"model": model})


async def back_test(
    tx: Transaction, model: UUID, *, basins: Sequence[UUID], former: Sequence[UUID], floor: float
) -> tuple[int, int]:
    """Return how many resolved predictions a model with `basins` would make, and how many hold.

    It would not make those whose context is nearest to a basin that was removed from it.
    """
    values = {"model": model, "floor": floor}
    row = await tx.first(SQL.back_test, {**values, "basins": list(basins), "former": list(former)})
    return (int(row.tested), int(row.correct)) if row else (0, 0)


STEPS = 10
SQL = load(__file__, steps=STEPS)


class CalibrationStep(NamedTuple):
    """Resolved predictions from `step`/10 to the next tenth; `confidence` is their mean."""

    step: int
    resolved: int
    correct: int
    confidence: float

    @property
    def share(self) -> float:
        """The share of correct ones, 0..1."""
        return self.correct / self.resolved


class PredictionStates(NamedTuple):
    """The numbers of open, resolved and expired predictions."""

    open: int
    resolved: int
    expired: int


async def calibration_steps(tx: Transaction, model: UUID) -> list[CalibrationStep]:
    """Return the steps with any resolved prediction, least confident first."""
    return await tx.rows(CalibrationStep, SQL.read, {"model": model})


async def prediction_states(tx: Transaction, model: UUID, now: object) -> PredictionStates:
    """Return the states of a model's predictions as of `now`."""
    row = await tx.first(SQL.states, {"model": model, "now": now})
    return PredictionStates._make(row) if row else PredictionStates(0, 0, 0)
