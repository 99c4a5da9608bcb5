"""`/`: counts and the latest runs; and the page for unknown addresses."""

from collections.abc import Callable

from nicegui import ui

from reasonloom.stores import overview
from reasonloom.stores.overview import Overview
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.runs.run_parts import run_rows
from reasonloom.studio.widgets.elements import empty_state, heading, tag
from reasonloom.studio.widgets.live import deferred

NEWEST = 12
FIRST = 'reasonloom call remember \'{"content": "Anna keeps bees", "sessionId": "first"}\''


async def build_home(visit: Visit) -> None:
    """Draw the counts, each linked to its page, and the newest runs."""
    runs = await visit.context.read(overview.latest_runs, NEWEST)
    heading("Overview", "What this mind holds, and what it did last.")
    if not runs:
        empty_state("Nothing yet", "A first memory, a first thought:", command=FIRST)

    async def counted() -> Callable[[], None]:
        found = await visit.context.read(overview.read_overview)
        return lambda: _counts(found)

    deferred(counted, "counting…")
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


HOME = StudioPage("/", "Overview", "all", build_home, "/", icon="home")


async def build_not_found(visit: Visit) -> None:
    """Draw the page for unknown addresses."""
    heading("No such page")
    empty_state("Nothing stands here", "Choose a page on the left, or go back.")


NOT_FOUND = StudioPage("/{rest:path}", "No such page", "all", build_not_found, "")
