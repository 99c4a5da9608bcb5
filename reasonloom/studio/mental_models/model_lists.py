"""`/models`: every mental model with its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.contracts.mental_models.models import DOMAINS
from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.nodes.sessions.picture import shortened
from reasonloom.stores.mental_models import models
from reasonloom.studio.mental_models.record import STATUS_TONES, accuracy_told
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import choice, form
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reasonloom.stores.mental_models.models import ListedRow

MOST = 1_000
"""Models of a list; of more the newest."""

FIRST = (
    'reasonloom call create_model \'{"name": "Sleep", "domain": "user", '
    '"basin_ids": ["ID of a basin"]}\''
)


async def build(visit: Visit) -> None:
    """Draw the filters and the models."""
    domain = visit.query.get("domain", "")
    status = visit.query.get("status", "")
    domain = domain if domain in DOMAINS else ""
    status = status if status in STATUS_TONES else ""
    heading("Models", "Mental models: what they stand on, what they predict, how often it held.")
    async with visit.desk.begin(searching=True) as tx:
        found = await models.listed(tx, domain=domain or None, status=status or None, most=MOST)
    with form("/models", "Filter models"):
        choice("domain", "Domain", domain, {"": "every", **{each: each for each in DOMAINS}})
        choice("status", "Status", status, {"": "every", **{each: each for each in STATUS_TONES}})
    with ui.element("p"):
        ui.link("Basins: the clusters of memories that models are made of", "/basins")
    if not found and (domain or status):
        empty("No model passes these filters", "Take one away.")
    elif not found:
        empty("No mental model yet", "Basins come first, then a model of them:", command=FIRST)
    else:
        _list(visit, found)


def _list(visit: Visit, found: Sequence[ListedRow]) -> None:
    total = found[0].total
    newest = f" The newest {len(found):,} are listed." if total > len(found) else ""
    heads = ("model", "domain", "status", "#basins", "accuracy", "#resolved", "#Brier", "#version")
    shown = found[skipped(visit) :][:SIZE]
    table(f"{total:,} in all, the newest first.{newest}", heads, map(_row, shown))
    paging(visit, "/models", len(found))
    tag("p", READING, "studio-quiet studio-small")


READING = (
    "Accuracy is the share of resolved predictions that held, with the 95 % interval (Wilson). "
    "The Brier score is the mean squared error of their confidences: lower is better."
)


def _row(row: ListedRow) -> tuple[Cell | str, ...]:
    figures = figures_of(row)
    brier = figures["brier_score"]
    gone = " (a basin is gone)" if row.degraded else ""
    return (
        Cell(shortened(row.name, 80), href=f"/model/{row.id}"),
        Cell(row.domain, look="studio-nowrap"),
        Cell(row.status, mark=STATUS_TONES.get(row.status, "quiet")),
        f"{row.basins:,}{gone}",
        accuracy_told(figures),
        f"{row.resolved:,}",
        "–" if brier is None else f"{brier:.3f}",
        f"{row.version:,}",
    )


PAGE = StudioPage("/models", "Models", "mental_models", build, "/models", icon="bubble_chart")
