"""Predictions of mental models about a text, open until they are resolved or expire."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from reasonloom.errors import PredictionNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid, require_row
from reasonloom.stores.mental_models.models import TrackRecord
from reasonloom.stores.statements import load, values_of


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

    def as_row(self, trigger: str) -> PredictionRow:
        """Return it as stored, open, with the trigger of its template."""
        fields: dict[str, Any] = dict.fromkeys(PredictionRow.__slots__)
        known = {**values_of(self), "trigger": trigger}
        return PredictionRow(**fields | {each: known[each] for each in fields if each in known})


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
    await tx.run(SQL.add, values_of(new))


async def add_once(tx: Transaction, new: NewPrediction) -> NewPrediction:
    """Store a prediction unless the same one for the same text is open; return the stored one."""
    row = await tx.first(SQL.open, {**values_of(new), "now": new.made_at})
    if row is not None:
        return replace(new, id=row.id, confidence=row.confidence)
    await add(tx, new)
    return new


async def require(tx: Transaction, prediction_id: str) -> PredictionRow:
    """Return a prediction.

    Raises:
        PredictionNotFound: the owner has no such prediction, or the text is not a UUID.
    """
    return await require_row(
        tx,
        PredictionRow,
        SQL.one,
        prediction_id,
        missing=PredictionNotFound,
        field="prediction_id",
    )


async def newest(tx: Transaction, model: UUID, most: int) -> list[PredictionRow]:
    """Return a model's predictions, newest first."""
    return await tx.rows(PredictionRow, SQL.newest, {"model": model, "most": most})


async def resolve(
    tx: Transaction,
    prediction_id: str,
    *,
    observation: str | None,
    correct: bool | None,
    judged_by: str,
    now: datetime,
) -> TrackRecord | None:
    """Store the outcome of an open prediction and count it; return its model's record.

    None if `correct` is None or there is no such open prediction: nothing is stored then.
    """
    wanted = parse_uuid(prediction_id)
    if wanted is None or correct is None:
        return None
    values = {"observation": observation, "correct": correct, "judged_by": judged_by, "now": now}
    return await tx.row(TrackRecord, SQL.resolve, {"id": wanted, **values})


async def record(tx: Transaction, model: UUID) -> list[Tally]:
    """Return the outcomes of a model's predictions, by template and basin."""
    return await tx.rows(Tally, SQL.record, {"model": model})


async def back_test(
    tx: Transaction, model: UUID, *, basins: Sequence[UUID], former: Sequence[UUID], floor: float
) -> tuple[int, int]:
    """Return how many resolved predictions a model with `basins` would make, and how many hold.

    It would not make those whose context is nearest to a basin that was removed from it.
    """
    values = {"model": model, "floor": floor, "basins": list(basins), "former": list(former)}
    row = await tx.one(SQL.back_test, values)
    return int(row.tested), int(row.correct)


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
    (found,) = await tx.rows(PredictionStates, SQL.states, {"model": model, "now": now})
    return found
