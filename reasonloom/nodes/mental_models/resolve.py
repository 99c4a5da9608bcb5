"""Answers `resolve_prediction`: judge what came of it, then count it, once.

The judging may ask a language model, so that it stands in a step of its own: nothing is held
meanwhile, and a run that is killed does not ask again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Resolved, ResolvePrediction
from reasonloom.errors import InvalidArgument, Settled
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.naming import named
from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.nodes.mental_models.outcome import judged
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import models, predictions

if TYPE_CHECKING:
    from datetime import datetime

    from reasonloom.stores.mental_models.predictions import PredictionRow

NEITHER = "observation: say what was observed, or was_accurate, or both"
STATES = {
    "resolved": "Prediction is resolved already",
    "expired": "Prediction has expired; it is not counted",
}
SAID = {
    True: "Prediction held",
    False: "Prediction did not hold",
    None: "Nothing was decided, and the prediction stays open: say was_accurate",
}


class ResolvingState(ToolState, total=False):
    """The state of resolving; `outcome` holds correct, by, why."""

    outcome: dict[str, Any]


async def judge_outcome(state: ResolvingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Judge what the observation says of the prediction."""
    execution = runtime.context
    request = ResolvePrediction.model_validate(state["request"])
    if request.observation is None and request.was_accurate is None:
        raise InvalidArgument(NEITHER, field="observation", kind="missing")
    async with execution.loom.database.begin(execution.caller) as tx:
        row = await predictions.require(tx, request.prediction_id)
    _require_open(row, execution.loom.clock())
    text, notes = _text(request)
    found = await judged(execution, row, text, request.was_accurate)
    outcome = {"correct": found.correct, "by": found.by, "why": found.why}
    return {"outcome": outcome, "notes": [*notes, *found.notes]}


async def resolve_prediction(state: ResolvingState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Write the outcome, and count it in the model's record; an open one stays as it is."""
    execution, outcome = runtime.context, state["outcome"]
    request = ResolvePrediction.model_validate(state["request"])
    now, correct = execution.loom.clock(), outcome["correct"]
    text, _ = _text(request)
    async with execution.loom.database.begin(execution.caller) as tx:
        row = await predictions.require(tx, request.prediction_id, hold=True)
        _require_open(row, now)
        if correct is not None:
            await predictions.resolve(
                tx, row, observation=text, correct=correct, judged_by=outcome["by"], now=now
            )
            error = (row.confidence - correct) ** 2
            await models.count(tx, row.model, correct=correct, error=error, now=now)
        model = await models.require(tx, str(row.model))
        answer = Resolved(
            success=True,
            message=SAID[correct],
            correct=correct,
            judged_by=outcome["by"],
            why=outcome["why"],
            model_id=str(model.id),
            prediction_id=str(row.id),
            **figures_of(model),
        )
        added = await finish(tx, execution, answer, notes=state.get("notes", []))
    return {**added, "notes": []}


def _text(request: ResolvePrediction) -> tuple[str | None, list[str]]:
    if request.observation is None:
        return None, []
    return named(request.observation, field="observation")


def _require_open(row: PredictionRow, now: datetime) -> None:
    """Refuse what is resolved or has expired.

    Raises:
        Settled: it is.
    """
    if said := STATES.get(row.state(now)):
        raise Settled(said, field="prediction_id")
