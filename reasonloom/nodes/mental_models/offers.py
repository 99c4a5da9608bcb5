"""Selects the mental models that fit a problem, as context for reasoning modes."""

from dataclasses import dataclass, field

from reasonloom.contracts.caller import DEFAULT_SPACE
from reasonloom.contracts.mental_models.extras import WEEK
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.mental_models.predict import (
    draft_prediction,
    read_against_triggers,
    read_history,
    triggers_of,
)
from reasonloom.stores.mental_models import models, predictions
from reasonloom.stores.mental_models.models import ModelRow
from reasonloom.stores.mental_models.predictions import NewPrediction

MOST_LOOKED_AT = 50
"""Number of active models, newest first, whose triggers are compared."""

MOST_OFFERED = 3
OFFER_TEXT = "Mental model '{name}' ({record}) expects: {content}{suggest}"
SUGGESTED = " It suggests: {suggest}"
RECORD = "right in {correct} of {resolved}"
UNTRIED = "nothing of it is resolved yet"
NOTE = "mental model '{name}' fits and was used; its prediction is {id}"


@dataclass(frozen=True, slots=True)
class Offer:
    """The matching models, as context for the mode and notes for its answer."""

    context: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def append_to(self, text: str) -> str:
        """Return `text` followed by the context lines."""
        return "\n".join([*([text] if text else []), *self.context])


async def offer_models(execution: Execution, problem: str) -> Offer:
    """Return the models that fit a problem, most confident first, and persist their predictions.

    The offer is empty if automatic memory is off or the caller is outside the owner's default
    space. In read-only mode nothing is persisted.
    """
    loom, caller = execution.loom, execution.caller
    if not loom.settings.auto_memory or caller.space != DEFAULT_SPACE or not problem.strip():
        return Offer()
    async with loom.database.begin(caller) as tx:
        rows = await models.active(tx, most=MOST_LOOKED_AT)
    if not any(row.templates for row in rows):
        return Offer()
    read = await read_against_triggers(execution.loom.embedder, problem, triggers_of(rows))
    fitting = [row for row in rows if any(each.fires for each in read.matches(row))]
    if not fitting:
        return Offer()
    found: list[tuple[ModelRow, NewPrediction]] = []
    async with loom.database.begin(caller) as tx:
        for row in fitting:
            history = await read_history(tx, row.id)
            draft = await draft_prediction(tx, execution, row, history, read, hours=WEEK)
            made = draft.prediction
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
