"""Answers `forget`: shows which chunks would go, or hides them so that they can be brought back."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from reasonloom.contracts.history import HistoryForget, HistoryForgotten, MatchTold, Spread
from reasonloom.errors import UnknownName
from reasonloom.nodes.history import dates, forget_rendering, lookup, matching
from reasonloom.nodes.history.erasure import erase
from reasonloom.nodes.history.matching import Topic, topic
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.stores.history import soft_deletes
from reasonloom.stores.history.chunk_lists import Chosen

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    from reasonloom.nodes.loom import Execution
    from reasonloom.nodes.state import ToolState
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.history.soft_deletes import Forgotten, Preview

SHOWN = 5
"""Matches that are shown, as in the reference."""

NO_SESSION = 'no session of this project begins with "{name}"'


@dataclass(frozen=True, slots=True)
class Matched:
    """The chunks that are meant, the nearest first where a topic was named, with their scores."""

    numbers: Sequence[int]
    scores: dict[int, float] | None
    notes: list[str]


async def history_forget(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Tell which chunks match, and hide them where it is no dry run.

    Raises:
        InvalidArgument: a date is none, `after` is not before `before`, or several sessions
            begin as the one named.
    """
    execution = runtime.context
    request = HistoryForget.model_validate(state["request"])
    span = dates.between(request.after, request.before, ("after", "before"))
    asked = await topic(execution, request.query) if request.query else None
    days = execution.loom.settings.undo_days
    if not request.dry_run:
        await execution.loom.journal.flush()  # what was found may still wait to be written
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        chosen, notes = await _chosen(tx, request, Chosen(request.project, None, span))
        matched = await _matched(tx, chosen, asked, request) if chosen else Matched((), None, [])
        gone = None
        if matched.numbers and not request.dry_run:
            at = execution.loom.clock()
            said = _asked(request)
            gone = await soft_deletes.forget(tx, matched.numbers, request.project, said, at)
        answer, more = await _answer(tx, request, matched, gone, days)
        told = await finish(tx, execution, answer, notes=[*notes, *matched.notes, *more])
    if gone and not days:
        await erase(execution.loom.database, execution.caller, gone.number)
    return told


async def _chosen(
    tx: Transaction, request: HistoryForget, chosen: Chosen
) -> tuple[Chosen | None, list[str]]:
    """Return which chunks are meant; None, and why, where project or session is not there."""
    try:
        await lookup.require_project(tx, request.project)
    except UnknownName as mistake:
        return None, [mistake.message]
    if request.session_id is None:
        return chosen, []
    session = await lookup.session_of(tx, request.project, request.session_id, "session_id")
    if session is None:
        return None, [NO_SESSION.format(name=lookup.told(request.session_id))]
    return Chosen(chosen.project, session, chosen.span), []


async def _matched(
    tx: Transaction, chosen: Chosen, asked: Topic | None, request: HistoryForget
) -> Matched:
    if asked is None:
        return Matched(await soft_deletes.ids(tx, chosen), None, [])
    scores, notes = await matching.scores(tx, chosen, asked)
    least = threshold(request.threshold)
    near = {key: score for key, score in scores.items() if score >= least}
    return Matched(sorted(near, key=lambda key: (-near[key], key)), near, notes)


def threshold(given: float) -> float:
    """Return a threshold as 0..1; what is above 1 is percent."""
    return given / 100 if given > 1 else given


def _asked(request: HistoryForget) -> dict[str, Any]:
    """Return what an undo list tells of a call; the query is data of the caller's and is cut."""
    given = request.model_dump(mode="json", exclude_none=True, exclude={"project", "dry_run"})
    if request.query is None:
        given.pop("threshold", None)
    return {
        name: lookup.told(value) if isinstance(value, str) else value
        for name, value in given.items()
    }


async def _answer(
    tx: Transaction, request: HistoryForget, matched: Matched, gone: Forgotten | None, days: float
) -> tuple[HistoryForgotten, list[str]]:
    """Return the answer, and how what is gone can be brought back within so many days."""
    best = matched.numbers[:SHOWN] if matched.scores else ()
    begun = await soft_deletes.previews(tx, best, forget_rendering.HEAD) if best else {}
    matches = [(_match(matched, key, begun[key]), begun[key].time) for key in best]
    until = gone.forgotten_at + timedelta(days=days) if gone and days else None
    answer = HistoryForgotten(
        text=_text(request, matched, matches, gone),
        project=request.project,
        dry_run=request.dry_run,
        matched=len(matched.numbers),
        forgotten=gone.chunks if gone else 0,
        scores=_spread(matched),
        matches=[match for match, _ in matches],
        undo=gone.number if gone and until else None,
        undo_until=until.isoformat() if until else None,
    )
    return answer, [forget_rendering.undo(gone.number, until)] if gone else []


def _text(
    request: HistoryForget,
    matched: Matched,
    matches: Sequence[tuple[MatchTold, datetime | None]],
    gone: Forgotten | None,
) -> str:
    least, n = threshold(request.threshold), len(matched.numbers)
    if not n:
        return forget_rendering.none(request.query if matched.scores is not None else None, least)
    if gone:
        return forget_rendering.deleted(gone.chunks, request.project)
    spread = _spread(matched)
    if request.query is None or spread is None:
        return forget_rendering.dry(n, request.project)
    return forget_rendering.dry_topic(n, request.query, least, request.project, spread, matches)


def _match(matched: Matched, key: int, begun: Preview) -> MatchTold:
    return MatchTold(
        id=f"mem-{key}",
        score=round(matched.scores[key], 4) if matched.scores else None,
        time=begun.time.isoformat() if begun.time else None,
        preview=forget_rendering.preview(begun.content),
    )


def _spread(matched: Matched) -> Spread | None:
    if not matched.scores:
        return None
    values = [round(score, 4) for score in matched.scores.values()]
    return Spread(max=max(values), min=min(values), median=round(statistics.median(values), 4))
