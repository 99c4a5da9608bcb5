"""Implements `get_model` and `list_models`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.models import GetModel, ListModels, ModelGot, ModelsListed
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models import rendering
from reasonloom.nodes.mental_models.basins.relations import relation_answers
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.mental_models import model_revisions, models, predictions
from reasonloom.stores.mental_models.model_revisions import RevisionRow
from reasonloom.stores.mental_models.predictions import PredictionRow
from reasonloom.stores.pipelines import together

MOST = 100
MORE = "only the newest {most} {what} are listed"


async def get_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the requested model."""
    execution = runtime.context
    request = execution.request(GetModel)
    async with execution.loom.database.begin(execution.caller) as tx:
        answer, notes = await full_model(tx, request, execution.loom.clock())
    return {"answer": answer.wire(), "notes": notes}


async def full_model(
    tx: Transaction, request: GetModel, now: datetime
) -> tuple[ModelGot, list[str]]:
    """Return a model with the requested predictions and revisions, and notes.

    Raises:
        ModelNotFound: the owner has no such model.
    """
    row = await models.require(tx, request.model_id)
    relations, made, revised = await together(
        relation_answers(tx, row.basins),
        _newest_predictions(tx, request, row.id),
        _newest_revisions(tx, request, row.id),
    )
    related, notes = _related_rows(request, made, revised, now)
    answer = ModelGot(model=rendering.model_details(row, relations), **related)
    return answer, [*rendering.degraded_note(row), *notes]


async def _newest_predictions(
    tx: Transaction, request: GetModel, model: UUID
) -> list[PredictionRow]:
    return await predictions.newest(tx, model, MOST + 1) if request.include_predictions else []


async def _newest_revisions(tx: Transaction, request: GetModel, model: UUID) -> list[RevisionRow]:
    return await model_revisions.newest(tx, model, MOST + 1) if request.include_revisions else []


def _related_rows(
    request: GetModel,
    made: Sequence[PredictionRow],
    revised: Sequence[RevisionRow],
    now: datetime,
) -> tuple[dict[str, Any], list[str]]:
    """Return the requested predictions and revisions, and notes if they were truncated."""
    related: dict[str, Any] = {}
    notes: list[str] = []
    if request.include_predictions:
        related["predictions"] = [rendering.prediction_details(each, now) for each in made[:MOST]]
        notes += [MORE.format(most=MOST, what="predictions")] if len(made) > MOST else []
    if request.include_revisions:
        related["revisions"] = [rendering.revision_details(each) for each in revised[:MOST]]
        notes += [MORE.format(most=MOST, what="revisions")] if len(revised) > MOST else []
    return related, notes


async def list_models(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the matching models, newest first."""
    execution = runtime.context
    request = execution.request(ListModels)
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        rows = await models.list_models(
            tx, domain=request.domain, status=request.status, most=request.limit
        )
    total = rows[0].total if rows else 0
    answer = ModelsListed(models=[rendering.model_summary(row) for row in rows], total=total)
    return {"answer": answer.wire(), "notes": []}
