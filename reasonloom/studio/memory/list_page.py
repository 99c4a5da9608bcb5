"""`/memory`: every memory, found by filters, as a list and as a map."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.nodes.sessions.picture import shortened
from reasonloom.stores.memory import memory_lists, one_memory
from reasonloom.stores.mental_models import memory_maps, stores_basin_lists
from reasonloom.studio.memory.facts import belongs, scores, standing
from reasonloom.studio.memory.filters import COLOURS, Asked, asked_of, chosen_of, draw_filters
from reasonloom.studio.memory.memory_map import Groups, counted, draw_map, grouped
from reasonloom.studio.memory.projection import Flat, flattened
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.widgets.elements import Cell, table
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.forms import SIZE, paging, skipped
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later
from reasonloom.studio.widgets.region import Region
from reasonloom.studio.widgets.tag import tag
from reasonloom.studio.widgets.texts import prose, short_moment

if TYPE_CHECKING:
    from reasonloom.stores.memory.memory_lists import Chosen, ListedMemory
    from reasonloom.stores.mental_models.memory_maps import Sample

DRAWN = 4_000
"""Points of the map; of more memories a sample is drawn."""

EXCERPT = 130
PANEL = 4_000
FIRST = (
    'reasonloom call remember \'{"content": "Anna keeps bees", "userId": "local", '
    '"sessionId": "first", "primarySector": "semantic"}\''
)


async def build(visit: Visit) -> None:
    """Draw the filters and the list; what all must be counted for comes after the page is seen."""
    asked = asked_of(visit)
    heading("Memory", "Everything that is remembered: narrow it down, look at the map, open one.")
    async with visit.desk.begin(searching=True) as tx:
        chosen = await chosen_of(tx, asked)
        rows = await memory_lists.page(tx, chosen, SIZE, skipped(visit))
        basins = await stores_basin_lists.names(tx)
    draw_filters(asked, basins)
    if not rows:
        _nothing(visit, asked)
        return
    count = Count(visit, chosen)
    tag("h2", "Map")
    MapView(visit, asked, chosen, count).begin()
    tag("h2", "List")
    heads = ("memory", "content", "sector", "project", "#strength", "stored")
    table("The newest first. Strength as it is stored; times are UTC.", heads, map(_row, rows))

    async def pages() -> Callable[[], None]:
        total = await count.total()
        return lambda: paged(visit, total)

    later(pages, "counting…")


def paged(visit: Visit, total: int) -> None:
    """Draw how many there are in all, and the way to the other pages."""
    if total <= SIZE:
        tag("p", f"{total:,} in all.", "studio-quiet studio-small")
    paging(visit, "/memory", total)


def _nothing(visit: Visit, asked: Asked) -> None:
    if asked.narrow:
        empty("No memory passes these filters", "Take one away, or search for fewer words.")
    elif skipped(visit):
        empty("No memory on this page", "The list ends before it.")
    else:
        empty("No memory yet", "A first one:", command=FIRST)


@dataclass
class Count:
    """How many memories pass the filters; counted once, when it is first asked for."""

    visit: Visit
    chosen: Chosen
    _counting: asyncio.Lock = field(default_factory=asyncio.Lock)
    _total: int | None = None

    async def total(self) -> int:
        """Return it."""
        async with self._counting:
            if self._total is None:
                async with self.visit.desk.begin(searching=True) as tx:
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
    """The map of what is chosen, with the memory that was pressed beside it."""

    visit: Visit
    asked: Asked
    chosen: Chosen
    count: Count
    panel: Region = field(init=False)

    def begin(self) -> None:
        """Stand where the map will be."""
        with ui.element("div").classes("studio-columns"):
            with ui.element("div").classes("studio-card"):
                later(self._load, "drawing the map…")
            self.panel = Region("studio-card studio-panel")
        with self.panel.anew():
            tag("p", "Press a point to read its memory here.", "studio-quiet")

    async def _load(self) -> Callable[[], None]:
        model = (await self.visit.desk.engine()).loom.embedder.model
        total = await self.count.total()
        async with self.visit.desk.begin(searching=True) as tx:
            found = await memory_maps.sample(tx, self.chosen, model, total=total, most=DRAWN)
            ids = [point.id for point in found.points]
            homes = await memory_maps.basins_of(tx, ids) if self.asked.colour == "cluster" else {}
        flat = await asyncio.to_thread(flattened, found.vectors)
        groups = grouped(self._names(found, homes))
        return lambda: self._draw(found, flat, groups, total)

    def _draw(self, found: Sample, flat: Flat, groups: Groups, total: int) -> None:
        if not found.points:
            tag("p", "None of these memories has a vector of the embedder in use.", "studio-quiet")
            return
        draw_map(found.points, flat, groups, self._open)
        tag("p", _projected(found, flat, total), "studio-quiet studio-small")
        counted(groups, COLOURS[self.asked.colour])

    def _names(self, found: Sample, homes: dict[int, str]) -> list[str | None]:
        if self.asked.colour == "cluster":
            return [homes.get(point.id) for point in found.points]
        if self.asked.colour == "project":
            return [point.project for point in found.points]
        return [point.sector for point in found.points]

    async def _open(self, memory_id: int) -> None:
        async with self.visit.desk.begin(searching=True) as tx:
            memory = await one_memory.require(tx, memory_id)
            basins = await one_memory.basins_of(tx, memory_id)
        with self.panel.anew():
            tag("h3", f"mem-{memory.id}")
            standing(memory)
            prose(memory.content, longest=PANEL)
            ui.link("Open with its links, provenance and strength", f"/memory/{memory.id}")
            scores(memory)
            belongs(basins)


def _projected(found: Sample, flat: Flat, total: int) -> str:
    drawn, first, second = len(found.points), *flat.kept
    some = "" if drawn + found.without >= total else f" of {total:,}, a fixed sample"
    lacking = f" {found.without:,} have no vector." if found.without else ""
    return (
        f"{drawn:,} memories{some}.{lacking} A projection: each memory's vector of "
        f"{found.vectors.shape[1]:,} numbers is drawn as two (its principal components), which "
        f"keep {first:.0%} and {second:.0%} of how these memories differ. Points that are near "
        "are often near in meaning, not always. Ctrl and the wheel zoom."
    )


PAGE = StudioPage("/memory", "Memory", "thought", build, "/memory", icon="scatter_plot")
