"""`/memory`: all memories, filtered, as a list and as a map."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from nicegui import ui

from reasonloom.stores.memory import memory_lists
from reasonloom.stores.memory.memory_lists import ListedMemory, MemoryFilter
from reasonloom.stores.mental_models import basin_lists, basin_memories
from reasonloom.stores.mental_models.basin_memories import Sample
from reasonloom.studio.memory.facts import membership_facts, scores, status_facts
from reasonloom.studio.memory.filters import (
    COLOURS,
    MemoryQuery,
    draw_filters,
    filters_of,
    query_of,
)
from reasonloom.studio.memory.memory_map import (
    Groups,
    Projection,
    counted,
    draw_map,
    grouped,
    project,
)
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    Cell,
    empty_state,
    heading,
    prose,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.forms import PAGE_SIZE, page_offset, paging
from reasonloom.studio.widgets.live import Region, deferred
from reasonloom.text.shortening import shortened

DRAWN = 4_000
"""Points of the map; a larger number of memories is sampled."""

EXCERPT = 130
PANEL = 4_000
FIRST = (
    'reasonloom call remember \'{"content": "Anna keeps bees", "userId": "local", '
    '"sessionId": "first", "primarySector": "semantic"}\''
)


async def build(visit: Visit) -> None:
    """Draw the filters and the list; the map and the count follow once the page is displayed."""
    query = query_of(visit)
    heading("Memory", "All stored memories: filter the list, look at the map, open one.")
    async with visit.context.begin(searching=True) as tx:
        chosen = await filters_of(tx, query)
        rows = await memory_lists.page(tx, chosen, PAGE_SIZE, page_offset(visit))
        basins = await basin_lists.names(tx)
    draw_filters(query, basins)
    if not rows:
        _nothing(visit, query)
        return
    count = Count(visit, chosen)
    tag("h2", "Map")
    MapView(visit, query, chosen, count).begin()
    tag("h2", "List")
    heads = ("memory", "content", "sector", "project", "#strength", "stored")
    table("The newest first. Strength as it is stored; times are UTC.", heads, map(_row, rows))

    async def pages() -> Callable[[], None]:
        total = await count.total()
        return lambda: paged(visit, total)

    deferred(pages, "counting…")


def paged(visit: Visit, total: int) -> None:
    """Draw the total count, and links to the other pages."""
    if total <= PAGE_SIZE:
        tag("p", f"{total:,} in total.", "studio-quiet studio-small")
    paging(visit, "/memory", total, export="memories")


def _nothing(visit: Visit, query: MemoryQuery) -> None:
    if query.narrow:
        empty_state(
            "No memory matches these filters", "Remove a filter, or search for fewer words."
        )
    elif page_offset(visit):
        empty_state("No memory on this page", "The list ends before it.")
    else:
        empty_state("No memory yet", "A first one:", command=FIRST)


@dataclass
class Count:
    """The number of memories that match the filters, counted once on first use."""

    visit: Visit
    chosen: MemoryFilter
    _counting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _total: int | None = None

    async def total(self) -> int:
        """Return the number."""
        async with self._counting:
            if self._total is None:
                async with self.visit.context.begin(searching=True) as tx:
                    self._total = await memory_lists.count(tx, self.chosen)
            return self._total


def _row(row: ListedMemory) -> tuple[Cell | str, ...]:
    gone = " (hidden)" if row.hidden else ""
    old = f" (superseded by mem-{row.superseded_by})" if row.superseded_by else ""
    return (
        Cell(f"mem-{row.id}", href=f"/memory/{row.id}", look="studio-nowrap"),
        Cell(f"{shortened(row.content, EXCERPT)}{gone}{old}", look="studio-roomy"),
        Cell(row.sector, look="studio-nowrap"),
        Cell(shortened(row.project or "–", 24), look="studio-nowrap"),
        f"{row.strength:.2f}",
        Cell(short_moment(row.created_at), look="studio-quiet studio-nowrap"),
    )


@dataclass
class MapView:
    """The map of the filtered memories, with a panel for the selected one."""

    visit: Visit
    query: MemoryQuery
    chosen: MemoryFilter
    count: Count
    panel: Region = field(init=False)

    def begin(self) -> None:
        """Reserve space for the map, and load it."""
        with ui.element("div").classes("studio-columns"):
            with ui.element("div").classes("studio-card"):
                deferred(self._load, "drawing the map…")
            self.panel = Region("studio-card studio-panel")
        with self.panel.anew():
            tag("p", "Select a point to read its memory here.", "studio-quiet")

    async def _load(self) -> Callable[[], None]:
        model = (await self.visit.context.engine()).loom.embedder.model
        total = await self.count.total()
        async with self.visit.context.begin(searching=True) as tx:
            found = await basin_memories.sample(tx, self.chosen, model, total=total, most=DRAWN)
            ids = [point.id for point in found.points]
            homes = (
                await basin_memories.basin_names(tx, ids) if self.query.colour == "cluster" else {}
            )
        flat = await asyncio.to_thread(project, found.vectors)
        groups = grouped(self._names(found, homes))
        return lambda: self._draw(found, flat, groups, total)

    def _draw(self, found: Sample, flat: Projection, groups: Groups, total: int) -> None:
        if not found.points:
            tag("p", "None of these memories has a vector of the embedder in use.", "studio-quiet")
            return
        draw_map(found.points, flat, groups, self._open)
        tag("p", _projected(found, flat, total), "studio-quiet studio-small")
        counted(groups, COLOURS[self.query.colour])

    def _names(self, found: Sample, homes: dict[int, str]) -> list[str | None]:
        if self.query.colour == "cluster":
            return [homes.get(point.id) for point in found.points]
        if self.query.colour == "project":
            return [point.project for point in found.points]
        return [point.sector for point in found.points]

    async def _open(self, memory_id: int) -> None:
        async with self.visit.context.begin(searching=True) as tx:
            memory = await memory_lists.require(tx, memory_id)
            basins = await memory_lists.basins_of(tx, memory_id)
        with self.panel.anew():
            tag("h3", f"mem-{memory.id}")
            status_facts(memory)
            prose(memory.content, longest=PANEL)
            ui.link("Open with its links, provenance and strength", f"/memory/{memory.id}")
            scores(memory)
            membership_facts(basins)


def _projected(found: Sample, flat: Projection, total: int) -> str:
    drawn, first, second = len(found.points), *flat.kept
    some = "" if drawn + found.without >= total else f" of {total:,}, a fixed sample"
    lacking = f" {found.without:,} have no vector." if found.without else ""
    return (
        f"{drawn:,} memories{some}.{lacking} A projection: each memory's vector of "
        f"{found.vectors.shape[1]:,} numbers is drawn as two (its principal components), which "
        f"keep {first:.0%} and {second:.0%} of how these memories differ. Points that are near "
        "are often near in meaning, not always. Ctrl and the wheel zoom."
    )


MEMORIES = StudioPage("/memory", "Memory", "thought", build, "/memory", icon="scatter_plot")
