"""Answers `session_end`: sums the session up, then ends it and stores its episode, all or nothing.

Whether there is anything to sum up is decided twice: before, to know whom to ask, and while the
owner's row is held, for somebody else may have ended the session meanwhile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import SessionEnd, SessionEnded
from reasonloom.errors import SessionNotFound
from reasonloom.nodes.graph_memory.episode import (
    CALLER,
    CALLER_CONFIDENCE,
    EXTRACT,
    MOST_OF_KIND,
    Episode,
    sum_up,
)
from reasonloom.nodes.graph_memory.persistence import Draft, Prepared, keep, prepared
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import (
    memory_nodes,
    memory_sessions,
    session_ends,
    session_nodes,
)
from reasonloom.stores.graph_memory.chains import ORIGIN
from reasonloom.stores.graph_memory.memory_sessions import Numbered
from reasonloom.stores.memory import memories

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.session_ends import Course

NONE_OPEN = "none is open here; session_start begins one, and so does the first thing stored"
EMPTY = "session {number} holds nothing to sum up: it has ended without an episode"
SAME = "session {number} was summed up before and has nothing new: node {episode} is its episode"
NOT_KEPT = "the summary was not stored; memory_correct changes an episode"
UNUSED = "the summary was not stored: create_episode is false"
SINCE = "stored while the session was summed up, and not in the summary: {count} of its nodes"
AGAIN = "the episode supersedes node {old}, which summed up the session before it went on"
SOME = "the {joined} newest of the session's {nodes} nodes are joined to the episode"


class EndState(ToolState, total=False):
    """The session that is to end, and what it comes to; None where there is nothing to say."""

    ending: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Standing:
    """How a session stands: its nodes, those newer than its episode, the episode of today."""

    course: Course
    nodes: int
    since: int
    episode: int | None

    def wants_episode(self, request: SessionEnd) -> bool:
        """Tell whether an episode is to be made: asked for, and there is something new to say."""
        if not request.create_episode or (self.episode and not self.since):
            return False
        return self.nodes > 0 or request.summary is not None


async def sum_up_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Find the session and sum it up, asking nobody where the caller has done so."""
    execution = runtime.context
    request = SessionEnd.model_validate(state["request"])
    entries: list[session_nodes.Entry] = []
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        session = await _wanted(tx, execution, request.session_id)
        standing = await _standing(tx, session)
        wanted = standing.wants_episode(request)
        if wanted and request.summary is None:
            entries = await session_nodes.entries(tx, session, MOST_OF_KIND)
    episode = None
    if wanted and request.summary is not None:
        episode = Episode(request.summary, CALLER_CONFIDENCE, CALLER)
    elif entries:
        episode = await sum_up(execution, entries, standing.nodes)
    return {
        "ending": {
            "session": str(session),
            "number": standing.course.number,
            "nodes": standing.nodes,
            "episode": episode.wire() if episode else None,
        }
    }


async def end_session(state: EndState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """End the session, store its episode, and join its nodes to it."""
    execution = runtime.context
    request = SessionEnd.model_validate(state["request"])
    ending, session = state["ending"], UUID(state["ending"]["session"])
    episode = Episode(**ending["episode"]) if ending["episode"] else None
    made = await prepared(execution, _draft(episode, ending["number"])) if episode else None
    async with execution.loom.database.begin(execution.caller) as tx:
        await memory_sessions.hold(tx)
        standing = await _standing(tx, session)
        notes = _said(request, standing)
        new = None
        if episode and made and standing.wants_episode(request):
            new, said = await _summed_up(tx, execution, standing, made)
            late = standing.nodes - ending["nodes"]
            late_note = [SINCE.format(count=late)] if late > 0 else []
            notes = [*episode.notes, *made.notes, *said, *late_note]
        await session_ends.end(tx, session, execution.loom.clock(), new)
        answer = await _answer(tx, standing, new, episode)
        return await finish(tx, execution, answer, notes=notes, session_id=session)


async def _wanted(tx: Transaction, execution: Execution, number: int | None) -> UUID:
    """Return the session that is to end.

    Raises:
        SessionNotFound: no session has this number; without one, this client began none.
    """
    if number is not None:
        return (await session_ends.of_number(tx, number)).id
    last = await memory_sessions.last(tx, execution.caller)
    if last is None:
        raise SessionNotFound(NONE_OPEN, field="session_id")
    return last.id


async def _standing(tx: Transaction, session: UUID) -> Standing:
    course = await session_ends.of_id(tx, session)
    head = await session_ends.head(tx, course.episode_id)
    nodes, since = await session_nodes.count(
        tx, session, episode=course.episode_id if head else None, head=head
    )
    return Standing(course, nodes, since, head)


def _draft(episode: Episode, number: int) -> Draft:
    by_caller = episode.made_by == CALLER
    return Draft(
        episode.content,
        "episode",
        episode.confidence,
        "episode",
        field="summary",
        context=f"session {number}",
        category=memory_nodes.EXTRACT if episode.made_by == EXTRACT else memory_nodes.SUMMARY,
        source_kind="user" if by_caller else "tool",
        merges=False,
    )


async def _summed_up(
    tx: Transaction, execution: Execution, standing: Standing, made: Prepared
) -> tuple[int, list[str]]:
    """Store the episode at the end of the session's chain; return its number and what to say."""
    course, run_id = standing.course, execution.run.id
    kept = await keep(tx, execution, made, Numbered(course.id, course.number))
    joined = await session_nodes.join(tx, course.id, kept.node_id, run_id=run_id)
    notes = []
    if joined < standing.nodes:
        notes.append(SOME.format(joined=joined, nodes=standing.nodes))
    if standing.episode:
        await memories.link(
            tx, kept.node_id, {standing.episode: 1.0}, kind="supersedes", origin=ORIGIN,
            run_id=run_id,
        )  # fmt: skip
        notes.append(AGAIN.format(old=standing.episode))
    return kept.node_id, notes


def _said(request: SessionEnd, standing: Standing) -> list[str]:
    """Return what to say of a session that ends without a new episode."""
    number = standing.course.number
    if not request.create_episode:
        return [UNUSED] if request.summary is not None else []
    if standing.episode:
        kept = [NOT_KEPT] if request.summary is not None else []
        return [SAME.format(number=number, episode=standing.episode), *kept]
    return [EMPTY.format(number=number)]


async def _answer(
    tx: Transaction, standing: Standing, new: int | None, episode: Episode | None
) -> SessionEnded:
    shown = new or standing.episode
    rows = await memory_nodes.fetch(tx, [shown]) if shown else []
    return SessionEnded(
        session_id=standing.course.number,
        episode_id=shown,
        summary=rows[0].content if rows else None,
        summarised_by=episode.made_by if new and episode else None,
        node_count=standing.nodes,
    )
