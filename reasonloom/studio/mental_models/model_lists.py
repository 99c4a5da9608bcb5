"""`/models` and `/basins`: every mental model with its accuracy, and the basins."""

from collections.abc import Callable, Sequence

from nicegui import ui

from reasonloom.contracts.mental_models.models import DOMAINS
from reasonloom.nodes.mental_models.accuracy import figures_of
from reasonloom.stores.mental_models import basin_lists, models
from reasonloom.stores.mental_models.models import ListedRow
from reasonloom.studio.mental_models.record import STATUS_TONES, accuracy_text, basin_rows
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, empty_state, heading, table, tag
from reasonloom.studio.widgets.forms import PAGE_SIZE, choice, form, page_offset, paging
from reasonloom.studio.widgets.live import deferred
from reasonloom.text.shortening import shortened

MOST = 1_000
"""Maximum models listed; the newest if there are more."""

NO_MODELS = (
    'reasonloom call create_model \'{"name": "Sleep", "domain": "user", '
    '"basin_ids": ["ID of a basin"]}\''
)


async def build_models(visit: Visit) -> None:
    """Draw the filters and the models."""
    domain = visit.query.get("domain", "")
    status = visit.query.get("status", "")
    domain = domain if domain in DOMAINS else ""
    status = status if status in STATUS_TONES else ""
    heading(
        "Models",
        "Mental models: what they are based on, what they predict, how often they were right.",
    )
    async with visit.context.begin(searching=True) as tx:
        found = await models.list_models(
            tx, domain=domain or None, status=status or None, most=MOST
        )
    with form("/models", "Filter models"):
        choice("domain", "Domain", domain, {"": "every", **{each: each for each in DOMAINS}})
        choice("status", "Status", status, {"": "every", **{each: each for each in STATUS_TONES}})
    with ui.element("p"):
        ui.link("Basins: the clusters of memories that models are made of", "/basins")
    if not found and (domain or status):
        empty_state("No model matches these filters", "Take one away.")
    elif not found:
        empty_state(
            "No mental model yet",
            "Basins form first, then you create a model of them:",
            command=NO_MODELS,
        )
    else:
        _list(visit, found)


def _list(visit: Visit, found: Sequence[ListedRow]) -> None:
    total = found[0].total
    newest = f" The newest {len(found):,} are listed." if total > len(found) else ""
    heads = ("model", "domain", "status", "#basins", "accuracy", "#resolved", "#Brier", "#version")
    page_rows = found[page_offset(visit) :][:PAGE_SIZE]
    table(f"{total:,} in total, newest first.{newest}", heads, map(_row, page_rows))
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
        accuracy_text(figures),
        f"{row.resolved:,}",
        "–" if brier is None else f"{brier:.3f}",
        f"{row.version:,}",
    )


MODELS = StudioPage(
    "/models", "Models", "mental_models", build_models, "/models", icon="bubble_chart"
)

BASINS_LEAD = "A basin is a cluster of memories that are alike. Mental models are made of them."
WHICH = {"": "every basin", "apart": "those of no model"}
NO_BASINS = "reasonloom cluster"


async def build_basins(visit: Visit) -> None:
    """Draw the choice; the basins are counted once the page is displayed."""
    unused = visit.query.get("which", "") == "apart"
    heading("Basins", BASINS_LEAD)
    with form("/basins", "Which basins"):
        choice("which", "Show", "apart" if unused else "", WHICH)

    async def load() -> Callable[[], None]:
        async with visit.context.begin(searching=True) as tx:
            total = await basin_lists.count(tx, without_model=unused)
            rows = await basin_lists.page(tx, PAGE_SIZE, page_offset(visit), without_model=unused)

        def draw() -> None:
            if not total:
                empty_state("No such basin", "They are formed of memories:", command=NO_BASINS)
                return
            basin_rows(f"{total:,} in total, largest first. Times are UTC.", rows)
            paging(visit, "/basins", total, export="basins")

        return draw

    deferred(load, "counting…")


BASINS = StudioPage("/basins", "Basins", "mental_models", build_basins, "/models")
