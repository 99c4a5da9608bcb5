"""Makes predictions: which template of a model fires on a text, how surely, and what is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

import numpy as np

from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.nodes.mental_models.accuracy import DIGITS, confidence
from reasonloom.nodes.mental_models.triggers import Match, match
from reasonloom.stores.mental_models import model_basins, model_revisions, predictions
from reasonloom.stores.mental_models.models import ModelRow, Template
from reasonloom.stores.mental_models.predictions import NewPrediction

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction


@dataclass(frozen=True, slots=True)
class Heard:
    """A text beside the triggers of models: `vectors` by text, none without an embedder."""

    text: str
    vectors: Mapping[str, Sequence[float]]
    notes: list[str]

    def matches(self, model: ModelRow) -> list[Match]:
        """Return for each template of a model how alike its trigger and the text are."""
        return [match(each.trigger, self.text, self._cosine(each)) for each in model.templates]

    def _cosine(self, template: Template) -> float | None:
        if not self.vectors:
            return None
        return float(np.dot(self.vectors[template.trigger], self.vectors[self.text]))

    @property
    def vector(self) -> Sequence[float] | None:
        """The text's own."""
        return self.vectors.get(self.text)


@dataclass(frozen=True, slots=True)
class Foretold:
    """A prediction that a model makes; `declined` names the basin why it makes none."""

    prediction: NewPrediction | None
    declined: UUID | None = None


async def hear(execution: Execution, text: str, models: Sequence[ModelRow]) -> Heard:
    """Read a text beside the triggers of models."""
    triggers = [each.trigger for model in models for each in model.templates]
    if not triggers:
        return Heard(text, {}, [])
    texts = [text, *triggers]
    vectors, notes = await embed_or_say(execution.loom.embedder, texts)
    return Heard(text, dict(zip(texts, vectors, strict=False)), notes)


def best(matches: Sequence[Match]) -> int | None:
    """Return the place of the template that fires most, None where none fires."""
    firing = [(-each.likeness, place) for place, each in enumerate(matches) if each.fires]
    return min(firing)[1] if firing else None


async def foretell(
    tx: Transaction, execution: Execution, model: ModelRow, heard: Heard, *, hours: int
) -> Foretold:
    """Return what a model predicts on a text; nothing is written.

    A text that is nearest to a basin that was removed from the model is not its matter.
    """
    matches = heard.matches(model)
    place = best(matches)
    if place is None:
        return Foretold(None)
    former = await model_revisions.former_basins(tx, model.id)
    home = await _home(tx, execution, heard, [*model.basins, *former])
    if home in former:
        return Foretold(None, home)
    tallies = [each for each in await predictions.record(tx, model.id) if each.basin not in former]
    template, now = model.templates[place], execution.loom.clock()
    return Foretold(
        NewPrediction(
            id=execution.run.effect("predict", str(model.id)),
            model=model.id,
            template=place + 1,
            content=template.predict,
            suggest=template.suggest,
            confidence=confidence(tallies, place + 1),
            context=heard.text,
            likeness=round(matches[place].likeness, DIGITS),
            matched_by=matches[place].by,
            basin=home,
            vector=heard.vector,
            embedder=execution.loom.embedder.model if heard.vector is not None else None,
            version=model.version,
            tool=execution.run.tool,
            made_at=now,
            expires_at=now + timedelta(hours=hours),
        )
    )


async def _home(
    tx: Transaction, execution: Execution, heard: Heard, basins: Sequence[UUID]
) -> UUID | None:
    if heard.vector is None:
        return None
    embedder = execution.loom.embedder
    found = await model_basins.nearest(tx, heard.vector, embedder.model, basins)
    return found.basin if found and found.cosine > embedder.floor else None
