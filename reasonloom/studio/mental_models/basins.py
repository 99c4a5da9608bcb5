"""`/basins`: the clusters of memories, and which of them no model is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.stores.mental_models import stores_basin_lists
from reasonloom.studio.mental_models.basin_rows import basin_rows
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import choice, form
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later

if TYPE_CHECKING:
    from collections.abc import Callable

LEAD = "A basin is a cluster of memories that are alike. Mental models are made of them."
WHICH = {"": "every basin", "apart": "those of no model"}
FIRST = "reasonloom cluster"


async def build(visit: Visit) -> None:
    """Draw the choice; the basins are counted once the page is seen."""
    apart = visit.query.get("which", "") == "apart"
    heading("Basins", LEAD)
    with form("/basins", "Which basins"):
        choice("which", "Show", "apart" if apart else "", WHICH)

    async def load() -> Callable[[], None]:
        async with visit.desk.begin(searching=True) as tx:
            total = await stores_basin_lists.count(tx, apart=apart)
            rows = await stores_basin_lists.page(tx, SIZE, skipped(visit), apart=apart)

        def draw() -> None:
            if not total:
                empty("No such basin", "They are formed of memories:", command=FIRST)
                return
            basin_rows(f"{total:,} in all, the largest first. Times are UTC.", rows)
            paging(visit, "/basins", total)

        return draw

    later(load, "counting…")


PAGE = StudioPage("/basins", "Basins", "mental_models", build, "/models")
