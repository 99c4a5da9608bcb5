"""`/graphs`: the Graphs of Thoughts, those last written to first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.stores.thought_graph import got_lists
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.thought_graph.got_lists import ListedGraph

FIRST = "reasonloom graph run --help"
LONGEST = 110


async def build(visit: Visit) -> None:
    """Draw the list."""
    async with visit.desk.begin() as tx:
        total = await got_lists.count(tx)
        rows = await got_lists.page(tx, SIZE, skipped(visit))
    heading("Graphs", "Graphs of Thoughts: thoughts that were generated, scored, joined, refined.")
    if not total:
        empty("No graphs yet", "A plan makes one, or the tool reasoning_got_init:", command=FIRST)
        return
    heads = ("graph", "problem", "#nodes", "#pruned", "#best score", "state", "last written")
    table(f"{total:,} in all. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/graphs", total)


def _row(row: ListedGraph) -> tuple[Cell | str, ...]:
    state = ("finalized", "good") if row.finalized else ("open", "own")
    return (
        Cell(f"#{row.session}.{row.number}", href=f"/graph/{row.id}"),
        shortened(row.problem or "", LONGEST) or "–",
        f"{row.nodes:,}",
        f"{row.pruned:,}",
        "–" if row.best is None else f"{row.best:.2f}",
        Cell(state[0], mark=state[1]),
        Cell(short_moment(row.updated_at), look="studio-quiet"),
    )


PAGE = StudioPage("/graphs", "Graphs", "reasoning", build, "/graphs", icon="hub")
