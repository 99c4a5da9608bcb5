"""Creates, reads, lists and revises mental models. A model is locked before it is changed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from reasonloom.errors import DuplicateName, ModelNotFound
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.pipelines import together
from reasonloom.stores.statements import load, values_of

TAKEN = "A model with this name already exists"

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Template:
    """A trigger and its prediction, with keys that only the caller interprets."""

    trigger: str
    predict: str
    suggest: str | None
    other_keys: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NewModel:
    """A model to create; `basins` are distinct and exist."""

    id: UUID
    name: str
    domain: str
    description: str
    status: str
    basins: Sequence[UUID]
    templates: Sequence[Template]
    now: datetime


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model as stored; `basins` are in order, `missing` are those that no longer exist."""

    id: UUID
    name: str
    domain: str
    description: str
    status: str
    version: int
    resolved: int
    correct: int
    squared_error: float
    created_at: datetime
    updated_at: datetime
    basins: list[UUID]
    missing: list[UUID]
    templates: list[Template] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A model in a list; `total` counts all that match."""

    id: UUID
    name: str
    domain: str
    status: str
    version: int
    resolved: int
    correct: int
    squared_error: float
    basins: int
    degraded: bool
    total: int


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """How many resolved predictions of a model there are and how many held.

    `squared_error` is the sum of the squared errors of their confidences.
    """

    id: UUID
    resolved: int
    correct: int
    squared_error: float


async def create(tx: Transaction, new: NewModel) -> None:
    """Create a model, once per id.

    Raises:
        DuplicateName: another model of this owner has its name.
    """
    values = {**values_of(new), "templates": [asdict(each) for each in new.templates]}
    made = await tx.number(SQL.create, values)
    if not made and await tx.first(SQL.made, {"id": new.id, "name": new.name}) is None:
        raise DuplicateName(TAKEN, field="name")


async def require(
    tx: Transaction, model_id: str, *, hold: bool = False, field: str = "model_id"
) -> ModelRow:
    """Return a model, with `hold` locked until the transaction ends.

    Raises:
        ModelNotFound: the owner has no such model, or the text is not a UUID.
    """
    wanted = parse_uuid(model_id)
    values = {"id": wanted}
    row = None
    if wanted and hold:
        _, row = await together(tx.first(SQL.hold, values), tx.first(SQL.one, values))
    elif wanted:
        row = await tx.first(SQL.one, values)
    if not row:
        raise ModelNotFound(model_id, field=field)
    return _model(row)


async def active(tx: Transaction, *, most: int) -> list[ModelRow]:
    """Return active models, newest first."""
    return [_model(row) for row in await tx.all(SQL.active, {"most": most})]


async def list_models(
    tx: Transaction, *, domain: str | None, status: str | None, most: int
) -> list[ListedRow]:
    """Return models, newest first."""
    return await tx.rows(ListedRow, SQL.list, {"domain": domain, "status": status, "most": most})


async def last_changed(tx: Transaction, most: int) -> list[tuple[UUID, str, datetime]]:
    """Return id, name and time of the models that were last changed, newest first."""
    return [(row.id, row.name, row.updated_at) for row in await tx.all(SQL.changed, {"most": most})]


async def by_name(tx: Transaction, name: str, most: int) -> list[tuple[UUID, str]]:
    """Return id and name of the models whose name or id prefix is `name`, newest first."""
    return [(row.id, row.name) for row in await tx.all(SQL.called, {"called": name, "most": most})]


async def revise(
    tx: Transaction, model: ModelRow, basins: Sequence[UUID], now: datetime
) -> tuple[list[UUID], list[UUID]]:
    """Set the basins of a locked model and increase its version; return those added and removed."""
    added = [basin for basin in basins if basin not in model.basins]
    removed = [basin for basin in model.basins if basin not in basins]
    await together(
        tx.run(SQL.take_basins, {"id": model.id, "basins": removed}),
        tx.run(SQL.put_basins, {"id": model.id, "basins": added}),
        tx.run(SQL.revised, {"id": model.id, "now": now}),
    )
    return added, removed


async def set_status(tx: Transaction, model: UUID, status: str, now: datetime) -> None:
    """Set the status of a locked model."""
    await tx.run(SQL.set_status, {"id": model, "status": status, "now": now})


def _model(row: Any) -> ModelRow:
    values = row._asdict()
    templates = [Template(**each) for each in values.pop("templates")]
    return ModelRow(**values, templates=templates)
