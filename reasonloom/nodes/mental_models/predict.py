"""The tool `predict_with_model`: which template of a model fires on a text, and how surely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np
from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Considered, Predicted, PredictWithModel
from reasonloom.contracts.mental_models.models import PredictionSummary
from reasonloom.errors import NotActive
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.mental_models import rendering
from reasonloom.nodes.mental_models.accuracy import DIGITS, confidence
from reasonloom.nodes.mental_models.triggers import TriggerMatch, match_trigger
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.mental_models import model_basins, model_revisions, models, predictions
from reasonloom.stores.mental_models.models import ModelRow, Template
from reasonloom.stores.mental_models.predictions import NewPrediction

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class TriggerText:
    """A text to compare with triggers; `vectors` by text are empty without an embedder."""

    text: str
    vectors: Mapping[str, Sequence[float]]
    notes: list[str]

    def matches(self, model: ModelRow) -> list[TriggerMatch]:
        """Return the match of each template of a model."""
        return [
            match_trigger(each.trigger, self.text, self._cosine(each)) for each in model.templates
        ]

    def _cosine(self, template: Template) -> float | None:
        if not self.vectors:
            return None
        return float(np.dot(self.vectors[template.trigger], self.vectors[self.text]))

    @property
    def vector(self) -> Sequence[float] | None:
        """The vector of the text itself."""
        return self.vectors.get(self.text)


@dataclass(frozen=True, slots=True)
class PredictionDraft:
    """A prediction; without one, `declined` is the basin for which the model made none."""

    prediction: NewPrediction | None
    declined: UUID | None = None


async def read_against_triggers(
    execution: Execution, text: str, models: Sequence[ModelRow]
) -> TriggerText:
    """Return a text with its vector and those of the models' triggers."""
    triggers = [each.trigger for model in models for each in model.templates]
    if not triggers:
        return TriggerText(text, {}, [])
    texts = [text, *triggers]
    vectors, notes = await embed_or_note(execution.loom.embedder, texts)
    return TriggerText(text, dict(zip(texts, vectors, strict=False)), notes)


def best_template(matches: Sequence[TriggerMatch]) -> int | None:
    """Return the place of the template that matches best, None if none fires."""
    firing = [(-each.likeness, place) for place, each in enumerate(matches) if each.fires]
    return min(firing)[1] if firing else None


async def draft_prediction(
    tx: Transaction, execution: Execution, model: ModelRow, read: TriggerText, *, hours: int
) -> PredictionDraft:
    """Return a model's prediction on a text, not yet persisted.

    A model declines a text that is nearest to a basin removed from it.
    """
    matches = read.matches(model)
    place = best_template(matches)
    if place is None:
        return PredictionDraft(None)
    former = await model_revisions.former_basins(tx, model.id)
    home = await _nearest_basin(tx, execution, read, [*model.basins, *former])
    if home in former:
        return PredictionDraft(None, home)
    tallies = [each for each in await predictions.record(tx, model.id) if each.basin not in former]
    template, now = model.templates[place], execution.loom.clock()
    return PredictionDraft(
        NewPrediction(
            id=execution.run.effect("predict", str(model.id)),
            model=model.id,
            template=place + 1,
            content=template.predict,
            suggest=template.suggest,
            confidence=confidence(tallies, place + 1),
            context=read.text,
            likeness=round(matches[place].likeness, DIGITS),
            matched_by=matches[place].by,
            basin=home,
            vector=read.vector,
            embedder=execution.loom.embedder.model if read.vector is not None else None,
            version=model.version,
            tool=execution.run.tool,
            made_at=now,
            expires_at=now + timedelta(hours=hours),
        )
    )


async def _nearest_basin(
    tx: Transaction, execution: Execution, read: TriggerText, basins: Sequence[UUID]
) -> UUID | None:
    if read.vector is None:
        return None
    embedder = execution.loom.embedder
    found = await model_basins.nearest(tx, read.vector, embedder.model, basins)
    return found.basin if found and found.cosine > embedder.floor else None


INACTIVE = "Model is {status}; activate_model makes it active"
NONE_FIRES = "No template of '{name}' fires on this message"
NO_TEMPLATES = "'{name}' has no templates, so it predicts nothing"
DECLINED = "This is nearest to the basin {basin}, which was removed from '{name}'"
MADE = "'{name}' predicts with confidence {confidence:.2f}"


async def predict_with_model(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Make a prediction and persist it."""
    execution = runtime.context
    request = execution.request(PredictWithModel)
    text, notes = clean_name(request.message, field="message")
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id)
    read = await read_against_triggers(execution, text, [model])
    async with execution.loom.database.begin(execution.caller) as tx:
        model = await models.require(tx, request.model_id)
        if model.status != "active":
            raise NotActive(INACTIVE.format(status=model.status), field="model_id")
        draft = await draft_prediction(tx, execution, model, read, hours=request.expires_in_hours)
        made = await _persist(tx, execution, draft)
        answer = Predicted(
            success=True,
            message=await _message(tx, model, draft),
            prediction=made,
            considered=[
                Considered(trigger=each.trigger, likeness=found.likeness, fires=found.fires)
                for each, found in zip(model.templates, read.matches(model), strict=True)
            ],
        )
        notes += [*read.notes, *rendering.degraded_note(model)]
        return await complete_run(tx, execution, answer, notes=notes)


async def _persist(
    tx: Transaction, execution: Execution, draft: PredictionDraft
) -> PredictionSummary | None:
    if draft.prediction is None:
        return None
    await predictions.add(tx, draft.prediction)
    row = await predictions.require(tx, str(draft.prediction.id))
    return rendering.prediction_details(row, execution.loom.clock())


async def _message(tx: Transaction, model: ModelRow, draft: PredictionDraft) -> str:
    if draft.prediction is not None:
        return MADE.format(name=model.name, confidence=draft.prediction.confidence)
    if draft.declined is not None:
        names = await model_basins.names(tx, [draft.declined])
        return DECLINED.format(basin=names.get(draft.declined, draft.declined), name=model.name)
    return (NONE_FIRES if model.templates else NO_TEMPLATES).format(name=model.name)
