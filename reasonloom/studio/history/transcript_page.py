"""`/history/session/{id}`: the transcript of one past session, piece by piece."""

from collections.abc import Sequence
from urllib.parse import quote

from nicegui import ui

from reasonloom.errors import NotFound
from reasonloom.stores.history import history_sessions
from reasonloom.stores.history.history_sessions import PastSession, Piece
from reasonloom.studio.memory.facts import past_link
from reasonloom.studio.page_context import StudioPage, Visit
from reasonloom.studio.widgets.elements import facts, heading, mark, prose, short_moment, tag
from reasonloom.studio.widgets.forms import page_offset, paging
from reasonloom.text.shortening import shortened

SIZE = 15
MANY = 12


async def build(visit: Visit) -> None:
    """Draw a page of the session's pieces in chronological order."""
    project = visit.query.get("project", "").replace("\x00", "") or None
    wanted = visit.id.replace("\x00", "")
    async with visit.context.begin(searching=True) as tx:
        found = await history_sessions.find_sessions(tx, wanted, project)
        pieces = (
            await history_sessions.pieces(tx, found[0], SIZE, page_offset(visit, SIZE))
            if found
            else []
        )
    if not found:
        raise NotFound(f"no past session has the id {shortened(wanted, 80)}", field="session")
    session, others = found[0], found[1:]
    heading(f"Session {shortened(session.session, 60)}", "A past conversation, oldest piece first.")
    _facts(session)
    _elsewhere(others)
    _pieces(pieces)
    paging(visit, f"/history/session/{quote(wanted, safe='')}", session.chunks, SIZE)


def _facts(session: PastSession) -> None:
    facts(
        {
            "Project": (session.project, f"/history/{quote(session.project, safe='')}"),
            "Began": short_moment(session.started_at) if session.started_at else "untold",
            "Ended": short_moment(session.ended_at) if session.ended_at else "untold",
            "Pieces": f"{session.chunks:,}",
            "Tokens": f"{session.tokens:,}",
        }
    )


def _elsewhere(others: Sequence[PastSession]) -> None:
    for each in others:
        with ui.element("p").classes("studio-quiet"):
            ui.link(f"{each.project} also has a session with this id",
                    past_link(each.project, each.session))  # fmt: skip


def _pieces(pieces: Sequence[Piece]) -> None:
    tag("h2", "Conversation")
    with ui.element("ol").classes("studio-found"):
        for piece in pieces:
            with ui.element("li").classes("studio-card"):
                _piece(piece)


def _piece(piece: Piece) -> None:
    with ui.element("p").classes("studio-row"):
        ui.link(f"mem-{piece.id}", f"/memory/{piece.id}")
        tag("span", short_moment(piece.time) if piece.time else "undated", "studio-quiet")
        tag("span", f"{piece.tokens:,} tokens", "studio-quiet")
        if piece.agent:
            mark(f"agent {shortened(piece.agent, 30)}", "own")
        if piece.continues:
            mark("goes on", "quiet")
    prose(piece.content)
    for name, named in (("Files", piece.files), ("Errors", piece.errors)):
        if named:
            items = ", ".join(shortened(each, 80) for each in named[:MANY])
            tag("p", f"{name}: {items}", "studio-quiet studio-small", dir="auto")


TRANSCRIPT = StudioPage("/history/session/{id:path}", "Past session", "history", build, "/history")
