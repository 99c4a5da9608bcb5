"""`/history` and `/history/{id}`: projects of past conversations, and one project in time."""

from collections.abc import Callable, Sequence
from datetime import datetime
from urllib.parse import quote

from nicegui import ui

from reasonloom.errors import NotFound
from reasonloom.stores.history import chunk_lists
from reasonloom.stores.history.chunk_lists import ProjectRow, SessionRow, Span
from reasonloom.studio.history.chain_page import chain_form
from reasonloom.studio.history.timeline import draw_timeline
from reasonloom.studio.memory.facts import past_link
from reasonloom.studio.page_context import BASE_PATH, StudioPage, Visit
from reasonloom.studio.widgets.elements import (
    Cell,
    empty_state,
    facts,
    heading,
    short_moment,
    table,
    tag,
)
from reasonloom.studio.widgets.forms import PAGE_SIZE, page_offset, paging
from reasonloom.studio.widgets.live import deferred
from reasonloom.text.shortening import shortened

FIRST = "reasonloom history ingest ~/.claude/projects"
LEAD = "Past conversations by project. Ask what led to something, or what came next."


async def projects(visit: Visit) -> None:
    """Draw the projects, and the form that requests a chain."""
    found = await visit.context.read(chunk_lists.projects, searching=True)
    heading("History", LEAD)
    if not found:
        empty_state("No past conversations yet", "Ingest transcripts of your agent:",
              command=FIRST)  # fmt: skip
        return
    chain_form(visit, [each.slug for each in found])
    tag("h2", "Projects")
    heads = ("project", "folder", "#sessions", "#pieces", "#tokens", "from", "to")
    caption = f"{len(found):,} in total, most recent conversation first. Times are UTC."
    page_rows = found[page_offset(visit) :][:PAGE_SIZE]
    table(caption, heads, map(_project, page_rows))
    paging(visit, "/history", len(found))


def _project(row: ProjectRow) -> tuple[Cell | str, ...]:
    return (
        Cell(row.slug, href=f"/history/{quote(row.slug, safe='')}"),
        shortened(row.path or "–", 60),
        f"{row.sessions:,}",
        f"{row.chunks:,}",
        f"{row.tokens:,}",
        Cell(_day(row.first), look="studio-quiet studio-nowrap"),
        Cell(_day(row.last), look="studio-quiet studio-nowrap"),
    )


async def project(visit: Visit) -> None:
    """Draw one project: its sessions on a timeline, and as a list."""
    slug = visit.id.replace("\x00", "")
    rows = await visit.context.read(chunk_lists.sessions, slug, Span(), searching=True)
    if not rows:
        raise NotFound(f"no project is named {shortened(slug, 80)}", field="project")
    heading(shortened(slug, 80), "A project of past conversations.")
    facts(
        {
            "Sessions": f"{len(rows):,}",
            "Pieces": f"{sum(row.chunks for row in rows):,}",
            "Tokens": f"{sum(row.tokens for row in rows):,}",
        }
    )
    chain_form(visit, [visit.id], visit.id)
    tag("h2", "Time line")

    def open_one(row: SessionRow) -> None:
        ui.navigate.to(f"{BASE_PATH}{past_link(visit.id, row.session)}")

    async def load() -> Callable[[], None]:
        return lambda: draw_timeline(rows, open_one)

    with ui.element("div").classes("studio-card"):
        deferred(load, "drawing the time line…")
    _sessions(visit, rows)


def _sessions(visit: Visit, rows: Sequence[SessionRow]) -> None:
    tag("h2", "Sessions")
    heads = ("session", "began", "ended", "#pieces", "#tokens")
    page_rows = rows[page_offset(visit) :][:PAGE_SIZE]
    caption = f"{len(rows):,} in total, newest first. Times are UTC."
    table(caption, heads, [_session(visit.id, row) for row in page_rows])
    paging(visit, f"/history/{quote(visit.id, safe='')}", len(rows))


def _session(slug: str, row: SessionRow) -> tuple[Cell | str, ...]:
    return (
        Cell(shortened(row.session, 60), href=past_link(slug, row.session)),
        Cell(_time(row.started_at), look="studio-nowrap"),
        Cell(_time(row.ended_at), look="studio-nowrap"),
        f"{row.chunks:,}",
        f"{row.tokens:,}",
    )


def _day(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d}" if at else "–"


def _time(at: datetime | None) -> str:
    return short_moment(at) if at else "–"


PROJECTS = StudioPage("/history", "History", "history", projects, "/history", icon="timeline")
PROJECT = StudioPage("/history/{id}", "Project", "history", project, "/history")
