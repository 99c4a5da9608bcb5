"""Answers `predict_with_model`: what a model predicts on a message, kept until it is resolved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Considered, Predicted, PredictWithModel
from reasonloom.contracts.mental_models.models import PredictionTold
from reasonloom.errors import NotActive
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.mental_models import rendering
from reasonloom.nodes.mental_models.predict import Foretold, foretell, hear
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import model_basins, models, predictions

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.mental_models.models import ModelRow

INACTIVE = "Model is {status}; activate_model makes it active"
NONE_FIRES = "No template of '{name}' fires on this message"
NO_TEMPLATES = "'{name}' has no templates, so it predicts nothing"
DECLINED = "This is nearest to the basin {basin}, which was removed from '{name}'"
MADE = "'{name}' predicts with confidence {confidence:.2f}"


async def predict_with_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Predict, and keep the prediction."""
    execution = runtime.context
    request = PredictWithModel.model_validate(state["request"])
    text, notes = named(request.message, field="message")
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id)
    heard = await hear(execution, text, [model])
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id)
        if model.status != "active":
            raise NotActive(INACTIVE.format(status=model.status), field="model_id")
        told = await foretell(tx, execution, model, heard, hours=request.expires_in_hours)
        kept = await _kept(tx, execution, told)
        answer = Predicted(
            success=True,
            message=await _message(tx, model, told),
            prediction=kept,
            considered=[
                Considered(trigger=each.trigger, likeness=found.likeness, fires=found.fires)
                for each, found in zip(model.templates, heard.matches(model), strict=True)
            ],
        )
        said = [*notes, *heard.notes, *rendering.degraded(model)]
        return await finish(tx, execution, answer, notes=said)


async def _kept(tx: Transaction, execution: Execution, told: Foretold) -> PredictionTold | None:
    if told.prediction is None:
        return None
    await predictions.add(tx, told.prediction)
    row = await predictions.require(tx, str(told.prediction.id))
    return rendering.prediction(row, execution.loom.clock())


async def _message(tx: Transaction, model: ModelRow, told: Foretold) -> str:
    if told.prediction is not None:
        return MADE.format(name=model.name, confidence=told.prediction.confidence)
    if told.declined is not None:
        names = await model_basins.names(tx, [told.declined])
        return DECLINED.format(basin=names.get(told.declined, told.declined), name=model.name)
    return (NONE_FIRES if model.templates else NO_TEMPLATES).format(name=model.name)
