"""`/search`: memories, sessions and runs that contain the words of the header's search field."""

from collections.abc import Iterable
from urllib.parse import urlencode

from nicegui import ui

from reasonloom.stores.memory import memory_lists
from reasonloom.stores.runs import run_lists
from reasonloom.stores.runs.run_lists import RunFilter
from reasonloom.stores.sessions import sessions
from reasonloom.studio.memory.filters import filters_of, query_of
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import empty_state, heading, tag, visible
from reasonloom.studio.widgets.forms import MAX_FIELD
from reasonloom.text.shortening import shortened

MOST = 8
"""Results of each kind on the page."""

EXCERPT = 140


async def build(visit: Visit) -> None:
    """Draw the results of each kind, with a link to all of them."""
    words = visit.text("q", MAX_FIELD)
    heading("Search", f"Results for “{words}”" if words else "")
    if not words:
        empty_state(
            "Search everything", "Press / and type words, a memory's id or a session's number."
        )
        return
    runs = RunFilter(words=words)
    async with visit.context.begin() as tx:
        found_sessions = await sessions.page(tx, words, MOST, 0, empty=True)
        session_total = await sessions.count(tx, words, empty=True)
        found_runs = await run_lists.page(tx, runs, MOST, 0)
        run_total = await run_lists.count(tx, runs)
    async with visit.context.begin(searching=True) as tx:
        chosen = await filters_of(tx, query_of(visit))
        memories = await memory_lists.page(tx, chosen, MOST, 0)
        memory_total = await memory_lists.count(tx, chosen)
    query = urlencode({"q": words})
    _section(
        "Memories",
        memory_total,
        f"/memory?{query}",
        [(f"mem-{each.id}", f"/memory/{each.id}", each.content) for each in memories],
    )
    _section(
        "Sessions",
        session_total,
        f"/sessions?{query}&empty=on",
        [
            (f"Session {each.number}", f"/session/{each.id}", each.began or "(no thoughts yet)")
            for each in found_sessions
        ],
    )
    _section(
        "Runs",
        run_total,
        f"/runs?{query}",
        [(each.tool, f"/run/{each.id}", each.subject) for each in found_runs],
    )
    ui.link("Search past conversations", f"/history/chain?{query}")


def _section(title: str, total: int, path: str, rows: Iterable[tuple[str, str, str]]) -> None:
    tag("h2", f"{title}: {total:,}")
    with ui.element("ul").classes("studio-results"):
        for name, href, text in rows:
            with ui.element("li"):
                ui.link(visible(name), href)
                tag("span", shortened(text, EXCERPT), "studio-quiet", dir="auto")
    if total > MOST:
        ui.link(f"All {total:,} {title.lower()}", path)


SEARCH = StudioPage("/search", "Search", "all", build, "")
