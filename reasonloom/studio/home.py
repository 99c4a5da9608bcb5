"""`/`: what there is, and what happened last."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from nicegui import ui

from reasonloom.stores import latest, overview
from reasonloom.studio.page import StudioPage, Visit
from reasonloom.studio.runs.run_rows import run_rows
from reasonloom.studio.widgets.empty import empty
from reasonloom.studio.widgets.heading import heading
from reasonloom.studio.widgets.later import later
from reasonloom.studio.widgets.tag import tag

if TYPE_CHECKING:
    from reasonloom.stores.overview import Overview

NEWEST = 12
FIRST = 'reasonloom call remember \'{"content": "Anna keeps bees", "sessionId": "first"}\''


async def build(visit: Visit) -> None:
    """Draw the counts, each leading to its page, and the newest runs."""
    async with visit.desk.begin() as tx:
        runs = await latest.runs(tx, NEWEST)
    heading("Overview", "What this mind holds, and what it did last.")
    if not runs:
        empty("Nothing yet", "A first memory, a first thought:", command=FIRST)

    async def counted() -> Callable[[], None]:
        async with visit.desk.begin() as tx:
            found = await overview.read(tx)
        return lambda: _counts(found)

    later(counted, "counting…")
    if runs:
        tag("h2", "Last runs")
        run_rows(runs)


def _counts(found: Overview) -> None:
    with ui.element("div").classes("studio-grid"):
        for number, what, path in (
            (found.sessions, "sessions of reasoning", "/sessions"),
            (found.memories, "memories", "/memory"),
            (found.graphs, "graphs of thoughts", "/graphs"),
            (found.projects, "projects in the history", "/history"),
            (found.models, "mental models", "/models"),
        ):
            with ui.link(target=path).classes("studio-card studio-count"):
                tag("strong", f"{number:,}")
                tag("span", what)


PAGE = StudioPage("/", "Overview", "all", build, "/", icon="home")
