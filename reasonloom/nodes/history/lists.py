"""Answers `list-sessions`: a project's sessions with when they were and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryListSessions, SessionsListed, SessionTold
from reasonloom.nodes.history import dates, lookup
from reasonloom.nodes.history.fitting import fitted, room
from reasonloom.stores.history import chunk_lists

if TYPE_CHECKING:
    from datetime import datetime

    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState
    from reasonloom.stores.history.chunk_lists import SessionRow

NONE = 'No sessions found for project "{project}".'
HEAD = 'Sessions for "{project}" ({total} total):'
MORE = "...and {n} more; narrow them by from, to or days_back"
MOST = 500
"""Sessions that the values hold; the text may show fewer."""


async def history_list_sessions(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return a project's sessions, the newest first.

    Raises:
        InvalidArgument: both forms of dates at once, no date, or from after to.
    """
    execution = runtime.context
    request = HistoryListSessions.model_validate(state["request"])
    now = execution.loom.clock()
    span = dates.span(request.from_, request.to, request.days_back, now)
    notes: list[str] = []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        every = await chunk_lists.sessions(tx, request.project, span)
        if not every:
            notes.append(await lookup.unknown_project(tx, request.project))
    found = [session for session in every if session.within]
    short = lookup.abbreviations([session.session for session in every])
    lines = [_line(session, short[session.session], now) for session in found]
    text = NONE.format(project=lookup.told(request.project))
    if found:
        head = HEAD.format(project=lookup.told(request.project), total=len(found))
        text, _ = fitted(
            head, lines, room(execution.loom.settings.max_response_tokens, notes), MORE
        )
    answer = SessionsListed(
        text=text,
        project=request.project,
        sessions=[_told(session) for session in found[:MOST]],
        total=len(found),
    )
    return {"answer": answer.wire(), "notes": notes}


def _line(session: SessionRow, short: str, now: datetime) -> str:
    when = dates.times(session.started_at, session.ended_at, now)
    chunks = "chunk" if session.chunks == 1 else "chunks"
    tokens = "token" if session.tokens == 1 else "tokens"
    shown = lookup.told(short)
    return f"- {shown} ({when}, {session.chunks} {chunks}, {session.tokens} {tokens})"


def _told(session: SessionRow) -> SessionTold:
    return SessionTold(
        session_id=session.session,
        started_at=session.started_at.isoformat() if session.started_at else None,
        ended_at=session.ended_at.isoformat() if session.ended_at else None,
        chunks=session.chunks,
        tokens=session.tokens,
    )
