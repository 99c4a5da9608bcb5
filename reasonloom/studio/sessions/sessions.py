"""`/sessions`: every session of reasoning, found by words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.stores import marks
from reasonloom.stores.sessions import session_lists
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.form import LONGEST, field, form
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.live import Live
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.texts import short_moment

if TYPE_CHECKING:
    from reasonloom.stores.sessions.session_lists import ListedSession

EVERY = 1.0
FIRST = 'reasonloom call reasoning_linear \'{"content": "Why do ships float?"}\''


async def build(visit: Visit) -> None:
    """Draw the search and the list, which follows what is written."""
    words = visit.query.get("q", "").strip()[:LONGEST]
    heading("Sessions", "Each line is one train of thought; open it to see its branches.")
    with form("/sessions", "Search sessions"):
        field("q", "Words, number or mode", words, search=True, hint="/ to search")
    region = Region()

    async def mark() -> marks.Mark:
        async with visit.desk.begin() as tx:
            return await marks.of_sessions(tx)

    async def draw() -> None:
        async with visit.desk.begin() as tx:
            total = await session_lists.count(tx, words)
            rows = await session_lists.page(tx, words, SIZE, skipped(visit))
        with region.anew():
            _list(visit, words, rows, total)

    await Live(mark, draw, every=EVERY).begin()


def _list(visit: Visit, words: str, rows: Sequence[ListedSession], total: int) -> None:
    if not total and words:
        empty("No session has these words", "Search for fewer, or for a session's number.")
        return
    if not total:
        empty("No sessions yet", "A mode of reasoning begins one:", command=FIRST)
        return
    heads = ("session", "began with", "mode", "project", "#thoughts", "#branches", "last written")
    table(f"{total:,} in all, those last written to first. Times are UTC.", heads, map(_row, rows))
    paging(visit, "/sessions", total)


def _row(row: ListedSession) -> tuple[Cell | str, ...]:
    return (
        Cell(row.name or f"#{row.number}", href=f"/session/{row.id}"),
        shortened(row.began, 110) or "(no thought yet)",
        row.mode or "–",
        row.project or "–",
        f"{row.thoughts:,}",
        f"{row.branches:,}",
        Cell(short_moment(row.updated_at), look="studio-quiet"),
    )


PAGE = StudioPage("/sessions", "Sessions", "reasoning", build, "/sessions", icon="account_tree")
