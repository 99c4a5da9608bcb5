"""`/ponder`: every time that was thought in streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.stores.runs import pondered
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.runs.run_rows import TONES
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.runs.pondered import ListedPonder

FIRST = 'reasonloom call ponder \'{"problem": "Should we move to a new database?"}\''
LONGEST = 120


async def build(visit: Visit) -> None:
    """Draw the list."""
    async with visit.desk.begin() as tx:
        total = await pondered.count(tx)
        rows = await pondered.page(tx, SIZE, skipped(visit))
    heading("Ponder", "Four streams think side by side, and hear each other at each quarter.")
    if not total:
        empty("Nothing was pondered yet", "The tool ponder does it:", command=FIRST)
        return
    heads = ("problem", "status", "llm", "#insights", "#conflicts", "when")
    table(f"{total:,} in all, the newest first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/ponder", total)


def _row(row: ListedPonder) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.problem, LONGEST) or "(taken out)", href=f"/ponder/{row.id}"),
        Cell(row.status, mark=TONES.get(row.status, "quiet")),
        row.llm or "–",
        f"{row.insights:,}",
        f"{row.conflicts:,}",
        Cell(short_moment(row.created_at), look="studio-quiet"),
    )


PAGE = StudioPage("/ponder", "Ponder", "thought", build, "/ponder", icon="view_column")
