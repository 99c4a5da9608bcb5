"""`/model/{id}`: one mental model: its basins, its predictions, and how well it is calibrated."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from nicegui import ui

from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.stores.mental_models import (
    calibration,
    model_revisions,
    models,
    predictions,
    stores_basin_lists,
)
from reasonloom.studio.mental_models.basin_rows import basin_rows
from reasonloom.studio.mental_models.model_parts import draw_predictions, draw_revisions, templates
from reasonloom.studio.mental_models.record import accuracy_told, draw_calibration
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.facts import facts
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import moment, prose

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from uuid import UUID

    from reasonloom.stores.mental_models.calibration import States
    from reasonloom.stores.mental_models.model_revisions import RevisionRow
    from reasonloom.stores.mental_models.models import ModelRow
    from reasonloom.stores.mental_models.stores_basin_lists import ListedBasin, Strongest

PREDICTIONS, REVISIONS, STRONGEST, EXCERPT = 50, 50, 5, 140


class Whole(NamedTuple):
    """A model and all that its page shows."""

    model: ModelRow
    basins: Sequence[ListedBasin]
    members: Mapping[UUID, Sequence[Strongest]]
    states: States
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


async def _read(visit: Visit, now: datetime) -> Whole:
    async with visit.desk.begin(searching=True) as tx:
        model = await models.require(tx, visit.id)
        return Whole(
            model,
            await stores_basin_lists.some(tx, model.basins),
            await stores_basin_lists.strongest(tx, model.basins, most=STRONGEST, longest=EXCERPT),
            await calibration.states(tx, model.id, now),
            await model_revisions.newest(tx, model.id, REVISIONS),
        )


def _calibration(visit: Visit, model: ModelRow) -> None:
    async def load() -> Callable[[], None]:
        async with visit.desk.begin(searching=True) as tx:
            steps = await calibration.steps(tx, model.id)
        return lambda: draw_calibration(steps)

    later(load)


def _predictions(visit: Visit, found: Whole, now: datetime) -> None:
    async def load() -> Callable[[], None]:
        async with visit.desk.begin(searching=True) as tx:
            rows = await predictions.newest(tx, found.model.id, PREDICTIONS)
        return lambda: draw_predictions(rows, found.states, now)

    later(load)


def _facts(found: Whole) -> None:
    model, figures = found.model, figures_of(found.model)
    brier = figures["brier_score"]
    facts(
        {
            "Domain": model.domain,
            "Status": model.status,
            "Version": f"{model.version:,}",
            "Accuracy": accuracy_told(figures),
            "Brier score": "none resolved" if brier is None else f"{brier:.3f} (0 is best)",
            "Predictions": f"{found.states.open:,} open, {found.states.resolved:,} resolved, "
            f"{found.states.expired:,} expired",
            "Made": moment(model.created_at),
            "Changed": moment(model.updated_at),
        }
    )


def _basins(found: Whole) -> None:
    if found.model.missing:
        gone = len(found.model.missing)
        tag("p", f"{gone:,} of its basins are gone: memories were clustered anew.", "studio-note")
    if not found.basins:
        return
    basin_rows(f"{len(found.basins):,} in all, the largest first.", found.basins)
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


PAGE = StudioPage("/model/{id}", "Model", "mental_models", build, "/models")
