"""Mental models: made, read, listed, revised. A model that is to change is held first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import ARRAY, Boolean, Text, Uuid, bindparam, text
from sqlalchemy.dialects.postgresql import JSONB

from reasonloom.errors import DuplicateName, ModelNotFound
from reasonloom.stores.identifiers import parse_uuid

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

TAKEN = "A model with this name already exists"

ID = bindparam("id", type_=Uuid)
BASINS = bindparam("basins", type_=ARRAY(Uuid))
CREATE = text("""
INSERT INTO models (owner, id, name, domain, description, status, created_at, updated_at)
VALUES (:owner, :id, :name, :domain, :description, :status, :now, :now)
ON CONFLICT DO NOTHING
""").bindparams(ID)
MADE = text("SELECT FROM models WHERE owner = :owner AND id = :id AND name = :name").bindparams(ID)
PUT_BASINS = text("""
INSERT INTO model_basins (owner, model, basin, position)
SELECT :owner, :id, given.basin, given.place + coalesce((SELECT max(b.position)
    FROM model_basins b WHERE b.owner = :owner AND b.model = :id), 0)
FROM unnest(:basins) WITH ORDINALITY given (basin, place) ON CONFLICT DO NOTHING
""").bindparams(ID, BASINS)
PUT_TEMPLATES = text("""
INSERT INTO model_templates (owner, model, number, trigger, predict, suggest)
SELECT :owner, :id, place, each ->> 'trigger', each ->> 'predict', each ->> 'suggest'
FROM jsonb_array_elements(:templates) WITH ORDINALITY given (each, place) ON CONFLICT DO NOTHING
""").bindparams(ID, bindparam("templates", type_=JSONB))
WHOLE = """
SELECT m.id, m.name, m.domain, m.description, m.status, m.version, m.resolved, m.correct,
    m.squared_error, m.created_at, m.updated_at,
    ARRAY(SELECT b.basin FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        ORDER BY b.position) AS basins,
    ARRAY(SELECT b.basin FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        AND NOT EXISTS (SELECT FROM basins k WHERE k.owner = m.owner AND k.id = b.basin)
        ORDER BY b.position) AS missing,
    coalesce((SELECT jsonb_agg(jsonb_build_object('trigger', t.trigger, 'predict', t.predict,
        'suggest', t.suggest) ORDER BY t.number)
        FROM model_templates t WHERE t.owner = m.owner AND t.model = m.id), '[]') AS templates
FROM models m
"""
ONE = text(f"{WHOLE} WHERE m.owner = :owner AND m.id = :id").bindparams(ID)
ACTIVE = text(f"""{WHOLE} WHERE m.owner = :owner AND m.status = 'active'
ORDER BY m.created_at DESC, m.id DESC LIMIT :most""")
HOLD = text("SELECT FROM models WHERE owner = :owner AND id = :id FOR UPDATE").bindparams(ID)
LIST = text("""
SELECT m.id, m.name, m.domain, m.status, m.version, m.resolved, m.correct, m.squared_error,
    (SELECT count(*) FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id) AS basins,
    EXISTS (SELECT FROM model_basins b WHERE b.owner = m.owner AND b.model = m.id
        AND NOT EXISTS (SELECT FROM basins k WHERE k.owner = m.owner AND k.id = b.basin)
    ) AS degraded, count(*) OVER () AS total
FROM models m
WHERE m.owner = :owner AND (CAST(:domain AS text) IS NULL OR m.domain = :domain)
    AND (CAST(:status AS text) IS NULL OR m.status = :status)
ORDER BY m.created_at DESC, m.id DESC LIMIT :most
""")
CHANGED = text("""
SELECT id, name, updated_at FROM models WHERE owner = :owner
ORDER BY updated_at DESC, id DESC LIMIT :most
""")
CALLED = text("""
SELECT id, name FROM models WHERE owner = :owner
    AND (name = :called OR starts_with(CAST(id AS text), lower(:called)))
ORDER BY created_at DESC, id DESC LIMIT :most
""")
TAKE_BASINS = text("""
DELETE FROM model_basins WHERE owner = :owner AND model = :id AND basin = ANY(:basins)
""").bindparams(ID, BASINS)
REVISED = text("""
UPDATE models SET version = version + 1, updated_at = :now WHERE owner = :owner AND id = :id
""").bindparams(ID)
SET_STATUS = text("""
UPDATE models SET status = :status, updated_at = :now WHERE owner = :owner AND id = :id
""").bindparams(ID)
COUNT = text("""
UPDATE models SET resolved = resolved + 1, correct = correct + CAST(:correct AS integer),
    squared_error = squared_error + :error, updated_at = :now
WHERE owner = :owner AND id = :id
""").bindparams(ID, bindparam("correct", type_=Boolean))
NAMED = text("SELECT name FROM models WHERE owner = :owner AND name = ANY(:names)").bindparams(
    bindparam("names", type_=ARRAY(Text))
)


@dataclass(frozen=True, slots=True)
class Template:
    """What is predicted on what."""

    trigger: str
    predict: str
    suggest: str | None


@dataclass(frozen=True, slots=True)
class NewModel:
    """A model to be made; `basins` are distinct and known to be there."""

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
    """A model as stored; `basins` in their order, `missing` are those of them that are gone."""

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
    """A model of a list; `total` counts all that match."""

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


async def create(tx: Transaction, new: NewModel) -> None:
    """Make a model; one of the same id is the same.

    Raises:
        DuplicateName: another model of this owner has its name.
    """
    named = {"owner": tx.owner, "id": new.id, "name": new.name}
    rest = {"domain": new.domain, "description": new.description, "status": new.status}
    if not await tx.run(CREATE, {**named, **rest, "now": new.now}):
        if await tx.first(MADE, named) is None:
            raise DuplicateName(TAKEN, field="name")
        return
    await _put_basins(tx, new.id, new.basins)
    if new.templates:
        wire = [
            {"trigger": each.trigger, "predict": each.predict, "suggest": each.suggest}
            for each in new.templates
        ]
        await tx.run(PUT_TEMPLATES, {"owner": tx.owner, "id": new.id, "templates": wire})


async def require(
    tx: Transaction, model_id: str, *, hold: bool = False, field: str = "model_id"
) -> ModelRow:
    """Return a model; with `hold` nobody else changes it until the transaction ends.

    Raises:
        ModelNotFound: this owner has none such, or the text is no uuid.
    """
    wanted = parse_uuid(model_id)
    values = {"owner": tx.owner, "id": wanted}
    if wanted and hold and await tx.first(HOLD, values) is None:
        wanted = None
    row = wanted and await tx.first(ONE, values)
    if not row:
        raise ModelNotFound(model_id, field=field)
    return _model(row)


async def active(tx: Transaction, *, most: int) -> list[ModelRow]:
    """Return active models, the newest first."""
    return [_model(row) for row in await tx.all(ACTIVE, {"owner": tx.owner, "most": most})]


async def list_models(
    tx: Transaction, *, domain: str | None, status: str | None, most: int
) -> list[ListedRow]:
    """Return models, the newest first."""
    values = {"owner": tx.owner, "domain": domain, "status": status, "most": most}
    return [ListedRow(*row) for row in await tx.tuples(LIST, values)]


async def last_changed(tx: Transaction, most: int) -> list[tuple[UUID, str, datetime]]:
    """Return id, name and time of the models that were last changed, newest first."""
    values = {"owner": tx.owner, "most": most}
    return [(row.id, row.name, row.updated_at) for row in await tx.all(CHANGED, values)]


async def by_name(tx: Transaction, name: str, most: int) -> list[tuple[UUID, str]]:
    """Return id and name of the models that have a name, or whose id begins so, newest first."""
    values = {"owner": tx.owner, "called": name, "most": most}
    return [(row.id, row.name) for row in await tx.all(CALLED, values)]


async def revise(
    tx: Transaction, model: ModelRow, basins: Sequence[UUID], now: datetime
) -> tuple[list[UUID], list[UUID]]:
    """Give a held model other basins and the next version; return what came and what went."""
    added = [basin for basin in basins if basin not in model.basins]
    removed = [basin for basin in model.basins if basin not in basins]
    if removed:
        values = {"owner": tx.owner, "id": model.id, "basins": removed}
        await tx.run(TAKE_BASINS, values)
    if added:
        await _put_basins(tx, model.id, added)
    await tx.run(REVISED, {"owner": tx.owner, "id": model.id, "now": now})
    return added, removed


async def set_status(tx: Transaction, model: UUID, status: str, now: datetime) -> None:
    """Give a held model another status."""
    values = {"owner": tx.owner, "id": model, "status": status, "now": now}
    await tx.run(SET_STATUS, values)


async def count(
    tx: Transaction, model: UUID, *, correct: bool, error: float, now: datetime
) -> None:
    """Count a resolved prediction; `error` is the squared error of its confidence."""
    values = {"owner": tx.owner, "id": model, "correct": correct, "error": error, "now": now}
    await tx.run(COUNT, values)


async def taken_names(tx: Transaction, names: Sequence[str]) -> set[str]:
    """Return those of `names` that models have."""
    return {row.name for row in await tx.all(NAMED, {"owner": tx.owner, "names": list(names)})}


async def _put_basins(tx: Transaction, model: UUID, basins: Sequence[UUID]) -> None:
    """Add basins behind those that are there, in their order."""
    await tx.run(PUT_BASINS, {"owner": tx.owner, "id": model, "basins": list(basins)})


def _model(row: Any) -> ModelRow:
    values = dict(row._mapping)
    templates = [Template(**each) for each in values.pop("templates")]
    return ModelRow(**values, templates=templates)
