"""The `reconstruct` tool: a project's past conversations, in time order.

A session that does not fit is outlined, unless the caller gives a time span. As in the reference, a
caller's mistake is returned as text that begins with `Error: `.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.history import HistoryReconstruct, Reconstructed
from reasonloom.errors import CallerMistake, InvalidArgument, SessionNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.history import date_arguments, projects
from reasonloom.nodes.history.reconstruction.outline import outline
from reasonloom.nodes.history.rendering import (
    Piece,
    heading,
    one_line,
    remaining_budget,
    render,
    short_session,
)
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.history import chunk_lists
from reasonloom.stores.history.chunk_lists import ChunkFilter, ChunkRow
from reasonloom.stores.pipelines import together
from reasonloom.text import tokens

LEAST_PIECE = 20
"""Minimum tokens of a piece with its heading; no more pieces are read than could fit."""

AROUND, MARKER = 140, 24
"""Approximate tokens of the first line with the notes, and of a session's boundary line."""

HEAD = 'Session context for "{project}" ({chunks} chunk{s}, {tokens} tokens):'
NOTHING = 'No chunks found for project "{project}" in what was asked for.'
NOT_STORED = "the current session is not stored yet; the newest one that is stored is shown"
LEFT_OUT = "{n} of {total} chunks are left out: {why}"
SOME_SESSIONS = (
    "only the {which} that fit into {budget} tokens are shown; name from, to or session_id"
)
OUTLINE_HEAD = 'Session context for "{project}" (outline of {chunks} chunks, {tokens} tokens):'
OUTLINED = (
    "an outline of {tokens} tokens; for the words themselves name a time, such as from={since} "
    "with session_id"
)
NO_ROOM = "they do not fit into {budget} tokens"


@dataclass(slots=True)
class Found:
    """The chunks in time order, how many matched in total, and notes.

    `spanned` is true if the request has a time span.
    """

    rows: list[ChunkRow] = field(default_factory=list)
    total: int = 0
    spanned: bool = False
    notes: list[str] = field(default_factory=list)


async def history_reconstruct(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the conversations within the budget; a caller's mistake is returned as text."""
    execution = runtime.context
    request = execution.request(HistoryReconstruct)
    try:
        found = await _found(execution, request)
    except CallerMistake as mistake:
        answer = Reconstructed(
            text=f"Error: {mistake.message}", chunks=[], tokens=0, omitted=0, error=mistake.message
        )
        return {"answer": answer.wire(), "notes": []}
    budget = execution.loom.settings.max_response_tokens
    answer, notes = _answer(request, found, budget)
    sessions = {row.session for row in found.rows}
    if len(sessions) == 1 and not found.spanned and _is_cut(answer, found):
        answer, notes = await _outlined(execution, request, found, *sessions)
    return {"answer": answer.wire(), "notes": notes}


async def _found(execution: Execution, request: HistoryReconstruct) -> Found:
    """Return the matching chunks, as many as could fit.

    Raises:
        CallerMistake: contradictory arguments, or an unknown name.
    """
    now = execution.loom.clock()
    span, notes = date_arguments.parse_span(request.from_, request.to, request.days_back, now)
    _refuse_contradictions(request)
    budget = execution.loom.settings.max_response_tokens
    found = Found(notes=notes)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        _, session = await together(
            projects.require_project(tx, request.project), _session(tx, request, found.notes)
        )
        if session is None and request.previous_session:
            return found
        chosen = ChunkFilter(request.project, session, span)
        found.spanned = span.since is not None or span.until is not None
        alone = session is None and not found.spanned
        most = budget // LEAST_PIECE + 2
        tx.end_with_next()
        found.rows, found.total = await together(
            chunk_lists.in_time(tx, chosen, newest=request.keep_newest, most=most),
            chunk_lists.count(tx, chosen),
        )
    if alone:
        found.rows = _whole_sessions(found.rows, budget, newest=request.keep_newest)
        if found.total > len(found.rows):
            which = "newest" if request.keep_newest else "oldest"
            found.notes.append(SOME_SESSIONS.format(which=which, budget=budget))
    return found


def _refuse_contradictions(request: HistoryReconstruct) -> None:
    if request.previous_session and request.current_session_id is None:
        raise InvalidArgument(
            "current_session_id: is required when previous_session is true",
            field="current_session_id",
        )
    if request.previous_session and request.session_id is not None:
        raise InvalidArgument(
            "session_id: cannot be combined with previous_session", field="session_id"
        )


async def _session(tx: Transaction, request: HistoryReconstruct, notes: list[str]) -> str | None:
    """Return the requested session; None for any, or if there is no previous session.

    Raises:
        InvalidArgument: a session id is an ambiguous prefix.
        SessionNotFound: `session_id` is unknown.
    """
    if request.session_id is not None:
        named = await projects.require_session(
            tx, request.project, request.session_id, "session_id"
        )
        if named is None:
            raise SessionNotFound(projects.display_name(request.session_id), field="session_id")
        return named
    if request.previous_session and request.current_session_id is not None:
        current = await projects.require_session(
            tx, request.project, request.current_session_id, "current_session_id"
        )
        if current is None:
            notes.append(NOT_STORED)
        return await chunk_lists.session_before(tx, request.project, current)
    return None


def _whole_sessions(rows: Sequence[ChunkRow], budget: int, *, newest: bool) -> list[ChunkRow]:
    """Return the chunks of the sessions that fit whole, starting from the newest or the oldest.

    The first session is included even if it does not fit.
    """
    kept: set[str] = set()
    left = budget - AROUND
    for session in dict.fromkeys(row.session for row in (reversed(rows) if newest else rows)):
        size = MARKER + sum(
            row.tokens + tokens.count_tokens(heading(Piece.of(row)))
            for row in rows
            if row.session == session
        )
        if kept and size > left:
            break
        kept.add(session)
        left -= size
    return [row for row in rows if row.session in kept]


def _answer(
    request: HistoryReconstruct, found: Found, budget: int
) -> tuple[Reconstructed, list[str]]:
    if not found.rows:
        text = NOTHING.format(project=projects.display_name(request.project))
        answer = Reconstructed(text=text, chunks=[], tokens=0, omitted=0, error=None)
        return answer, found.notes
    pieces = [Piece.of(row) for row in found.rows]
    places = range(len(pieces))
    left_out = LEFT_OUT.format(n=found.total, total=found.total, why=NO_ROOM.format(budget=budget))

    def head(chunks: int, size: int) -> str:
        return HEAD.format(
            project=one_line(request.project, projects.NAME_LENGTH),
            chunks=chunks,
            s="" if chunks == 1 else "s",
            tokens=size,
        )

    telling = render(
        pieces,
        budget,
        head=head,
        order=list(reversed(places)) if request.keep_newest else list(places),
        reserved=[f"[Note: {note}]" for note in (*found.notes, left_out)],
        mark=_boundary,
    )
    omitted = found.total - len(telling.chunks)
    notes = list(found.notes)
    if len(telling.chunks) < len(pieces) or (omitted and not notes):
        why = NO_ROOM.format(budget=budget)
        notes.append(LEFT_OUT.format(n=omitted, total=found.total, why=why))
    answer = Reconstructed(
        text=telling.text,
        chunks=telling.chunks,
        tokens=telling.tokens,
        omitted=omitted,
        error=None,
    )
    return answer, notes


def _is_cut(answer: Reconstructed, found: Found) -> bool:
    """Return whether any of the chunks that were read is left out or cut."""
    return len(answer.chunks) < len(found.rows) or any(chunk.cut for chunk in answer.chunks)


async def _outlined(
    execution: Execution, request: HistoryReconstruct, found: Found, session: str
) -> tuple[Reconstructed, list[str]]:
    """Return the outline of a session with its notes, within the budget."""
    budget = execution.loom.settings.max_response_tokens
    async with execution.loom.database.begin(execution.caller, once=True) as tx:
        chunks = await chunk_lists.outlined(tx, request.project, session)
    since = next((chunk.time for chunk in chunks if chunk.time), None)
    whole = sum(chunk.tokens for chunk in chunks)
    named = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ") if since else "2026-01-31"
    notes = [*found.notes, OUTLINED.format(tokens=whole, since=named)]

    def head(size: int) -> str:
        project = one_line(request.project, projects.NAME_LENGTH)
        line = OUTLINE_HEAD.format(project=project, chunks=len(chunks), tokens=size)
        return f"{line}\n\n{boundary_line(session, since)}\n"

    room = remaining_budget(budget, notes) - tokens.count_tokens(head(budget)) - 2
    body = outline(chunks, room, newest=request.keep_newest)
    size = tokens.count_tokens(head(tokens.count_tokens(head(budget) + body)) + body)
    answer = Reconstructed(
        text=head(size) + body,
        chunks=[],
        tokens=size,
        omitted=len(chunks),
        error=None,
        # Forgetting a chunk redacts recorded answers that reference it by name.
        outline_of=[f"mem-{chunk.id}" for chunk in chunks],
    )
    return answer, notes


def boundary_line(session: str, time: datetime | None) -> str:
    """Return the line that marks where a session begins or continues."""
    return f"=== Session {short_session(session)} | {date_arguments.format_day(time)} ==="


def _boundary(before: Piece | None, piece: Piece) -> str | None:
    """Return the boundary line if `piece` belongs to another session than `before`."""
    if before is not None and before.session == piece.session:
        return None
    return boundary_line(piece.session, piece.time)
