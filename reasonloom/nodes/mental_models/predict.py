"""Implements `predict_with_model`: finds the template that fires on a text, with a confidence."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import numpy as np
from langgraph.runtime import Runtime

from reasonloom.contracts.mental_models.extras import Considered, Predicted, PredictWithModel
from reasonloom.contracts.mental_models.models import PredictionSummary
from reasonloom.errors import EmbedderUnavailable, ModelNotFound, NotActive
from reasonloom.llm.classifier import entail
from reasonloom.llm.classifier.classifier import SITUATION
from reasonloom.llm.interfaces import Embedder
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import clean_name
from reasonloom.nodes.memory.embedding import embed_or_note
from reasonloom.nodes.mental_models import rendering
from reasonloom.nodes.mental_models.accuracy import DIGITS, confidence
from reasonloom.nodes.mental_models.triggers import TriggerMatch, match_trigger
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.identifiers import parse_uuid
from reasonloom.stores.mental_models import model_basins, model_revisions, models, predictions
from reasonloom.stores.mental_models.models import ModelRow
from reasonloom.stores.mental_models.predictions import NewPrediction, Tally
from reasonloom.stores.pipelines import together
from reasonloom.text.language import is_english

MOST_FITTED = 20
"""Number of nearest triggers that the packaged reader compares with a text."""

NEAR = 0.05
"""Minimum cosine for a trigger to be compared; below it, the topic differs."""


@dataclass(frozen=True, slots=True)
class TriggerText:
    """A text to compare with triggers.

    Attributes:
        text: the text.
        vectors: embeddings of the text and the triggers, by text; empty without an embedder.
        fits: the reader's probability, 0..1, that the text shows the situation of a trigger; empty
            if the reader does not support the language.
    """

    text: str
    vectors: Mapping[str, Sequence[float]]
    fits: Mapping[str, float]
    notes: list[str]

    def match(self, trigger: str) -> TriggerMatch:
        """Return how the text matches a trigger."""
        return match_trigger(trigger, self.text, self.cosine(trigger), self.fits.get(trigger))

    def matches(self, model: ModelRow) -> list[TriggerMatch]:
        """Return how the text matches each template of a model."""
        return [self.match(each.trigger) for each in model.templates]

    def cosine(self, trigger: str) -> float | None:
        """Return the cosine similarity of a trigger and the text; None without an embedder."""
        if not self.vectors:
            return None
        return float(np.dot(self.vectors[trigger], self.vectors[self.text]))

    @property
    def vector(self) -> Sequence[float] | None:
        """The embedding of the text, if any."""
        return self.vectors.get(self.text)


@dataclass(frozen=True, slots=True)
class PredictionDraft:
    """A prediction or, if the model declined, the removed basin that is the reason."""

    prediction: NewPrediction | None
    declined: UUID | None = None


async def read_against_triggers(
    embedder: Embedder, text: str, triggers: Sequence[str]
) -> TriggerText:
    """Embed a text and triggers, and estimate how the text fits the nearest triggers."""
    if not triggers:
        return TriggerText(text, {}, {}, [])
    texts = list(dict.fromkeys([text, *triggers]))
    vectors, notes = await embed_or_note(embedder, texts)
    read = TriggerText(text, dict(zip(texts, vectors, strict=False)), {}, notes)
    return replace(read, fits=await _fits(read, triggers))


async def _fits(read: TriggerText, triggers: Sequence[str]) -> dict[str, float]:
    near = {each: read.cosine(each) or 0.0 for each in triggers if read.vectors}
    wanted = sorted((each for each in near if near[each] >= NEAR), key=lambda each: -near[each])
    wanted = wanted[:MOST_FITTED]
    if not wanted or not await asyncio.to_thread(is_english, read.text):
        return {}
    try:
        found = await entail([(read.text, SITUATION.format(trigger=each)) for each in wanted])
    except EmbedderUnavailable:
        return {}
    fitting = {each: one.entailment for each, one in zip(wanted, found, strict=True)}
    return dict.fromkeys(triggers, 0.0) | fitting


def triggers_of(rows: Sequence[ModelRow]) -> list[str]:
    """Return all triggers of the models."""
    return [each.trigger for model in rows for each in model.templates]


def best_template(matches: Sequence[TriggerMatch]) -> int | None:
    """Return the index of the best matching template; None if none fires."""
    firing = [(-each.likeness, place) for place, each in enumerate(matches) if each.fires]
    return min(firing)[1] if firing else None


@dataclass(frozen=True, slots=True)
class ModelHistory:
    """The basins that were removed from a model, and the outcomes of its predictions."""

    former: Sequence[UUID]
    record: Sequence[Tally]


async def read_history(tx: Transaction, model: UUID) -> ModelHistory:
    """Return a model's history."""
    former, record = await together(
        model_revisions.former_basins(tx, model), predictions.record(tx, model)
    )
    return ModelHistory(former, record)


async def draft_prediction(
    tx: Transaction,
    execution: Execution,
    model: ModelRow,
    history: ModelHistory,
    read: TriggerText,
    *,
    hours: int,
) -> PredictionDraft:
    """Return a model's prediction for a text, not yet persisted.

    A model declines if the nearest basin of the text was removed from it.
    """
    matches = read.matches(model)
    place = best_template(matches)
    if place is None:
        return PredictionDraft(None)
    home = await _nearest_basin(tx, execution, read, [*model.basins, *history.former])
    if home in history.former:
        return PredictionDraft(None, home)
    tallies = [each for each in history.record if each.basin not in history.former]
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
    key = parse_uuid(request.model_id)
    if key is None:
        raise ModelNotFound(request.model_id, field="model_id")
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        model, former, record = await together(
            models.require(tx, request.model_id),
            model_revisions.former_basins(tx, key),
            predictions.record(tx, key),
        )
    if model.status != "active":
        raise NotActive(INACTIVE.format(status=model.status), field="model_id")
    read = await read_against_triggers(execution.loom.embedder, text, triggers_of([model]))
    async with execution.loom.database.begin(execution.caller) as tx:
        draft = await draft_prediction(
            tx, execution, model, ModelHistory(former, record), read, hours=request.expires_in_hours
        )
        answer = Predicted(
            success=True,
            message=await _message(tx, model, draft),
            prediction=_summary(model, draft.prediction),
            considered=[
                Considered(trigger=each.trigger, likeness=found.likeness, fires=found.fires)
                for each, found in zip(model.templates, read.matches(model), strict=True)
            ],
        )
        notes += [*read.notes, *rendering.degraded_note(model)]
        adds = [predictions.add(tx, draft.prediction)] if draft.prediction else []
        *_, done = await together(*adds, complete_run(tx, execution, answer, notes=notes))
        return dict(done)


def _summary(model: ModelRow, made: NewPrediction | None) -> PredictionSummary | None:
    if made is None:
        return None
    trigger = model.templates[made.template - 1].trigger
    return rendering.prediction_details(made.as_row(trigger), made.made_at)


async def _message(tx: Transaction, model: ModelRow, draft: PredictionDraft) -> str:
    if draft.prediction is not None:
        return MADE.format(name=model.name, confidence=draft.prediction.confidence)
    if draft.declined is not None:
        names = await model_basins.names(tx, [draft.declined])
        return DECLINED.format(basin=names.get(draft.declined, draft.declined), name=model.name)
    return (NONE_FIRES if model.templates else NO_TEMPLATES).format(name=model.name)
