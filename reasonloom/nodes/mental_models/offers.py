"""Offers modes the mental models that fit a problem: as context, with the prediction kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reasonloom.contracts.caller import DEFAULT_SPACE
from reasonloom.contracts.mental_models.extras import WEEK
from reasonloom.nodes.mental_models.predict import draft_prediction, read_against_triggers
from reasonloom.stores.mental_models import models, predictions
from reasonloom.stores.mental_models.models import ModelRow
from reasonloom.stores.mental_models.predictions import NewPrediction

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution

MOST_LOOKED_AT = 50
"""Active models whose triggers are compared: the newest."""

MOST_OFFERED = 3
OFFER_TEXT = "Mental model '{name}' ({record}) expects: {content}{suggest}"
SUGGESTED = " It suggests: {suggest}"
RECORD = "right in {correct} of {resolved}"
UNTRIED = "nothing of it is resolved yet"
NOTE = "mental model '{name}' fits and was heard; its prediction is {id}"


@dataclass(frozen=True, slots=True)
class Offer:
    """What a mode is told of models that fit, and what its answer must say of that."""

    context: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def beside(self, text: str) -> str:
        """Return a text with the context below it."""
        return "\n".join([*([text] if text else []), *self.context])


async def offer_models(execution: Execution, problem: str) -> Offer:
    """Return the models that fit a problem, the surest first, each with its prediction kept.

    Nothing where automatic memory is off, or outside the owner's default space.
    """
    loom, caller = execution.loom, execution.caller
    if not loom.settings.auto_memory or caller.space != DEFAULT_SPACE or not problem.strip():
        return Offer()
    async with loom.database.begin(caller) as tx:
        rows = await models.active(tx, most=MOST_LOOKED_AT)
    if not any(row.templates for row in rows):
        return Offer()
    heard = await read_against_triggers(execution, problem, rows)
    fitting = [row for row in rows if any(each.fires for each in heard.matches(row))]
    if not fitting:
        return Offer()
    found: list[tuple[ModelRow, NewPrediction]] = []
    async with loom.database.begin(caller) as tx:
        for row in fitting:
            made = (await draft_prediction(tx, execution, row, heard, hours=WEEK)).prediction
            if made is not None:
                found.append((row, made))
        found.sort(key=lambda each: (-each[1].confidence, -each[1].likeness, each[0].name))
        if not loom.settings.read_only:
            found = [
                (row, await predictions.add_once(tx, made)) for row, made in found[:MOST_OFFERED]
            ]
    return _offer_text(found[:MOST_OFFERED], kept=not loom.settings.read_only)


def _offer_text(found: list[tuple[ModelRow, NewPrediction]], *, kept: bool) -> Offer:
    context, notes = [], []
    for row, made in found:
        record = RECORD.format(correct=row.correct, resolved=row.resolved)
        suggest = SUGGESTED.format(suggest=made.suggest) if made.suggest else ""
        context.append(
            OFFER_TEXT.format(
                name=row.name,
                record=record if row.resolved else UNTRIED,
                content=made.content,
                suggest=suggest,
            )
        )
        notes.append(NOTE.format(name=row.name, id=made.id if kept else "not kept: read-only"))
    return Offer(context, notes)
