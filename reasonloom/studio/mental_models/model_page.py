"""`/model/{id}`: one mental model with its basins, predictions and calibration."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

from nicegui import ui

from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.stores.mental_models import basin_lists, model_revisions, models, predictions
from reasonloom.stores.mental_models.basin_lists import ListedBasin, Strongest
from reasonloom.stores.mental_models.model_revisions import RevisionRow
from reasonloom.stores.mental_models.models import ModelRow, Template
from reasonloom.stores.mental_models.predictions import PredictionRow, PredictionStates
from reasonloom.studio.mental_models.record import accuracy_text, basin_rows, draw_calibration
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    Cell,
    facts,
    heading,
    moment,
    prose,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.live import deferred
from reasonloom.text.shortening import shortened

LONGEST = 160


def templates(found: Sequence[Template]) -> None:
    """Draw the prediction templates."""
    if not found:
        tag("p", "It has no template, and so predicts nothing.", "studio-quiet")
        return
    rows = [
        (
            shortened(each.trigger, LONGEST),
            shortened(each.predict, LONGEST),
            shortened(each.suggest or "–", LONGEST),
        )
        for each in found
    ]
    table(f"{len(found):,} in total.", ("when", "it predicts", "and suggests"), rows)


def draw_predictions(
    found: Sequence[PredictionRow], states: PredictionStates, now: datetime
) -> None:
    """Draw the newest predictions with their outcomes."""
    total = sum(states)
    if not found:
        tag("p", "It has predicted nothing yet.", "studio-quiet")
        return
    newest = "" if total == len(found) else f" The newest {len(found):,} are listed."
    heads = ("made", "on", "predicted", "#sure", "outcome", "judged by")
    table(f"{total:,} in total.{newest} Times are UTC.", heads, [_row(each, now) for each in found])


def _row(each: PredictionRow, now: datetime) -> tuple[Cell | str, ...]:
    return (
        Cell(short_moment(each.made_at), look="studio-quiet studio-nowrap"),
        Cell(shortened(each.context, LONGEST), look="studio-roomy"),
        Cell(shortened(each.content, LONGEST), look="studio-roomy"),
        f"{each.confidence:.2f}",
        _came(each, now),
        shortened(each.judged_by or "–", 30),
    )


def _came(each: PredictionRow, now: datetime) -> Cell:
    if each.correct is None:
        state = each.state(now)
        return Cell(state, mark="own" if state == "open" else "quiet")
    return Cell("held", mark="good") if each.correct else Cell("did not hold", mark="wrong")


def draw_revisions(found: Sequence[RevisionRow]) -> None:
    """Draw its revisions, the newest first."""
    if not found:
        tag("p", "It was never revised.", "studio-quiet")
        return
    heads = ("version", "when", "why", "#basins came", "#went", "#before", "#after", "#tested")
    note = "Accuracy before, and that of a back-test on resolved predictions after."
    table(f"{len(found):,} in total. {note}", heads, map(_revision, found))


def _revision(each: RevisionRow) -> tuple[Cell | str, ...]:
    return (
        f"{each.version:,}",
        Cell(short_moment(each.made_at), look="studio-quiet studio-nowrap"),
        Cell(shortened(each.trigger, LONGEST), look="studio-roomy"),
        f"{len(each.added):,}",
        f"{len(each.removed):,}",
        f"{each.accuracy_before:.0%}",
        f"{each.accuracy_after:.0%}",
        f"{each.tested:,}",
    )


PREDICTIONS, REVISIONS, STRONGEST, EXCERPT = 50, 50, 5, 140


class ModelDetails(NamedTuple):
    """A model and everything that its page displays."""

    model: ModelRow
    basins: Sequence[ListedBasin]
    members: Mapping[UUID, Sequence[Strongest]]
    states: PredictionStates
    revisions: Sequence[RevisionRow]


async def build(visit: Visit) -> None:
    """Draw the model."""
    now = datetime.now(UTC)
    found = await _read(visit, now)
    heading(found.model.name, found.model.description)
    _facts(found)
    tag("h2", "Calibration")
    with ui.element("div").classes("studio-card"):
        _calibration(visit, found.model)
    tag("h2", "Basins it is made of")
    _basins(found)
    tag("h2", "What it predicts")
    templates(found.model.templates)
    tag("h2", "Predictions")
    _predictions(visit, found, now)
    tag("h2", "Revisions")
    draw_revisions(found.revisions)


async def _read(visit: Visit, now: datetime) -> ModelDetails:
    async with visit.context.begin(searching=True) as tx:
        model = await models.require(tx, visit.id)
        return ModelDetails(
            model,
            await basin_lists.by_ids(tx, model.basins),
            await basin_lists.strongest(tx, model.basins, most=STRONGEST, longest=EXCERPT),
            await predictions.prediction_states(tx, model.id, now),
            await model_revisions.newest(tx, model.id, REVISIONS),
        )


def _calibration(visit: Visit, model: ModelRow) -> None:
    async def load() -> Callable[[], None]:
        steps = await visit.context.read(predictions.calibration_steps, model.id, searching=True)
        return lambda: draw_calibration(steps)

    deferred(load)


def _predictions(visit: Visit, found: ModelDetails, now: datetime) -> None:
    async def load() -> Callable[[], None]:
        async with visit.context.begin(searching=True) as tx:
            rows = await predictions.newest(tx, found.model.id, PREDICTIONS)
        return lambda: draw_predictions(rows, found.states, now)

    deferred(load)


def _facts(found: ModelDetails) -> None:
    model, figures = found.model, figures_of(found.model)
    brier = figures["brier_score"]
    facts(
        {
            "Domain": model.domain,
            "Status": model.status,
            "Version": f"{model.version:,}",
            "Accuracy": accuracy_text(figures),
            "Brier score": "none resolved" if brier is None else f"{brier:.3f} (0 is best)",
            "Predictions": f"{found.states.open:,} open, {found.states.resolved:,} resolved, "
            f"{found.states.expired:,} expired",
            "Made": moment(model.created_at),
            "Changed": moment(model.updated_at),
        }
    )


def _basins(found: ModelDetails) -> None:
    if found.model.missing:
        gone = len(found.model.missing)
        tag("p", f"{gone:,} of its basins are gone: memories were clustered again.", "studio-note")
    if not found.basins:
        return
    basin_rows(f"{len(found.basins):,} in total, largest first.", found.basins)
    for basin in found.basins:
        with tag("details", "", "studio-fold"):
            tag("summary", f"Strongest memories of {basin.name}")
            _members(found.members.get(basin.id, ()))


def _members(found: Sequence[Strongest]) -> None:
    with ui.element("ul").classes("studio-list"):
        for member in found:
            with ui.element("li"):
                ui.link(f"mem-{member.memory_id}", f"/memory/{member.memory_id}")
                tag("span", f" {member.strength:.2f}", "studio-quiet")
                prose(member.excerpt)


MODEL = StudioPage("/model/{id}", "Model", "mental_models", build, "/models")
