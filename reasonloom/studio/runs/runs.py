"""`/runs`: every call of a tool, by tool and by how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.stores import marks
from reasonloom.stores.runs import run_lists
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.runs.run_rows import TONES
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import choice, form
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.runs.run_lists import ListedRun

EVERY = 1.0
FIRST = 'reasonloom call recall \'{"userId": "me", "query": "bees"}\''


async def build(visit: Visit) -> None:
    """Draw the choices and the list, which follows what runs."""
    tool, status = visit.query.get("tool", ""), visit.query.get("status", "")
    async with visit.desk.begin() as tx:
        tools = await run_lists.tools(tx)
    heading("Runs", "Each call of a tool is a run: what went in, what it asked, what came out.")
    with form("/runs", "Choose runs"):
        choice("tool", "Tool", tool, {"": "every tool", **{name: name for name in tools}})
        choice("status", "Status", status, {"": "any", **{name: name for name in TONES}})
    region = Region()

    async def mark() -> marks.Mark:
        async with visit.desk.begin() as tx:
            return await marks.of_runs(tx)

    async def draw() -> None:
        async with visit.desk.begin() as tx:
            total = await run_lists.count(tx, tool, status)
            rows = await run_lists.page(tx, tool, status, SIZE, skipped(visit))
        with region.anew():
            _list(visit, rows, total, chosen=bool(tool or status))

    await Live(mark, draw, every=EVERY).begin()


def _list(visit: Visit, rows: Sequence[ListedRun], total: int, *, chosen: bool) -> None:
    if not total and chosen:
        empty("No such run", "Choose another tool or status.")
        return
    if not total:
        empty("No runs yet", "Any call of a tool is one:", command=FIRST)
        return
    heads = ("tool", "status", "llm", "#calls", "#tokens", "#cost", "#ms", "begun")
    table(f"{total:,} in all, the newest first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/runs", total)


def _row(row: ListedRun) -> tuple[Cell | str, ...]:
    return (
        Cell(f"{row.tool}{' (fork)' if row.origin else ''}", href=f"/run/{row.id}"),
        Cell(row.status, mark=TONES.get(row.status, "quiet")),
        row.llm or "–",
        f"{row.calls:,}",
        f"{row.tokens:,}" if row.tokens else "–",
        "–" if row.usd is None else f"${row.usd:.4f}",
        "–" if row.latency_ms is None else f"{row.latency_ms:,.0f}",
        Cell(short_moment(row.created_at), look="studio-quiet"),
    )


PAGE = StudioPage("/runs", "Runs", "all", build, "/runs", icon="route")
