"""The `session_start`, `conversation_log` and `memory_session_resume` tools."""

import json
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import (
    ConversationLog,
    ConversationLogged,
    MemorySessionResume,
    PreviousSession,
    SessionResumed,
    SessionStart,
    SessionStarted,
)
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.graph_memory.persistence import (
    NodeDraft,
    node_memory,
    node_writes,
    prepare_node,
)
from reasonloom.nodes.graph_memory.rendering import injection_warnings, render_node
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import (
    memory_nodes,
    memory_sessions,
    recent_nodes,
    session_nodes,
)
from reasonloom.stores.graph_memory.memory_nodes import NodeRow
from reasonloom.stores.graph_memory.memory_sessions import SessionCourse
from reasonloom.stores.pipelines import Work, together
from reasonloom.text.hidden_characters import remove_hidden

SPEAKERS = {"user_message": ("user", 0.9), "agent_response": ("tool", 0.7)}
"""Source kind and confidence by speaker; an agent's own words are no evidence. The argument's name
is the node's category."""


async def conversation_log(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store a node for each message in the current session, the user's before the agent's."""
    execution = runtime.context
    request = execution.request(ConversationLog)
    made = [await prepare_node(execution, draft) for draft in _drafts(request)]
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        rows = [node_memory(execution, each, session) for each in made]
        stored = await together(*(one for row in rows for one in node_writes(tx, row, session)))
        ids = list(stored[::2])
        answer = ConversationLogged(node_id=ids[-1], session_id=session.number, node_ids=ids)
        notes = list(dict.fromkeys(note for each in made for note in each.notes))
        return await complete_run(tx, execution, answer, notes=notes, session_id=session.id)


def _drafts(request: ConversationLog) -> list[NodeDraft]:
    """Return a draft for each message of the request.

    Raises:
        InvalidArgument: the topic has no visible content.
    """
    topic = None if request.topic is None else remove_hidden(request.topic)[0]
    if topic is not None and not topic.strip():
        raise InvalidArgument("topic: must not be empty", field="topic", kind="empty")
    return [
        NodeDraft(
            text,
            "episode",
            confidence,
            name,
            field=name,
            context=topic,
            tags=(topic,) if topic else (),
            category=name,
            source_kind=source_kind,
            merges=False,
        )
        for name, (source_kind, confidence) in SPEAKERS.items()
        if (text := getattr(request, name)) is not None
    ]


MOST_LEFT = 5
"""Maximum decisions, and facts, of the previous session in an answer."""

NOTHING = PreviousSession(
    session_id=None, ended=False, episode=None, recent_decisions=[], recent_facts=[]
)


async def previous_session(tx: Transaction, project: str | None, current: UUID) -> PreviousSession:
    """Return the results of the project's last session other than `current`."""
    last = await recent_nodes.last_session(tx, project, other_than=current)
    if last is None:
        return NOTHING
    course = await memory_sessions.of_id(tx, last)
    head = await memory_sessions.head(tx, course.episode_id)
    episode = await memory_nodes.fetch(tx, [head]) if head else []
    decisions = await session_nodes.newest(tx, last, "decision", MOST_LEFT)
    facts = await session_nodes.newest(tx, last, "fact", MOST_LEFT)
    return PreviousSession(
        session_id=course.number,
        ended=course.ended_at is not None,
        episode=render_node(episode[0]) if episode else None,
        recent_decisions=[render_node(row) for row in decisions],
        recent_facts=[render_node(row) for row in facts],
    )


MOST_METADATA = 16_384
"""Maximum bytes of a session's metadata as JSON."""

LARGEST_CHOSEN = 2**31 - 1
"""Largest number that a caller may choose for a new session; later sessions count on from it."""

TOO_LARGE = (
    "session_id: no session has the number {number}, and a new one may be given a number up to "
    "{most}, such as {next}; without session_id the next free one is taken"
)
CHOSEN = "no session had the number {number}: it was started"
RESUMED = "session {number} had been ended and is open again; ending it summarises it again"
LEFT_OPEN = "session {number} was not ended; session_end with session_id {number} sums it up"


async def session_start(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Start or continue the caller's current session; return the previous session's results."""
    execution = runtime.context
    request = execution.request(SessionStart)
    given = request.metadata or {}
    _require_short_metadata(given)
    async with execution.loom.database.begin(execution.caller) as tx:
        await memory_sessions.hold(tx)
        course, continued = await _make_current(tx, execution, request.session_id)
        metadata = {**course.metadata, **given}
        _require_short_metadata(metadata)
        if given:
            metadata = await memory_sessions.merge_metadata(tx, course.id, given)
        previous = await previous_session(tx, execution.caller.project, course.id)
        answer = SessionStarted(
            session_id=course.number,
            continued=continued,
            metadata=metadata,
            previous=previous,
        )
        notes = [RESUMED.format(number=course.number)] if course.ended_at else []
        if request.session_id is not None and not continued:
            notes.append(CHOSEN.format(number=course.number))
        if previous.session_id is not None and not previous.ended:
            notes.append(LEFT_OPEN.format(number=previous.session_id))
        return await complete_run(tx, execution, answer, notes=notes, session_id=course.id)


async def _make_current(
    tx: Transaction, execution: Execution, number: int | None
) -> tuple[SessionCourse, bool]:
    """Start a session, or continue the one with `number`, which is started if there is none.

    Returns:
        The session as it was before, and whether it is continued.

    Raises:
        InvalidArgument: `number` is too large for a new session.
        SessionNotFound: the number belongs to a session of another space.
    """
    caller, new = execution.caller, execution.run.effect("session")
    if number is None:
        await memory_sessions.begin(tx, caller, new)
        return await memory_sessions.of_id(tx, new), False
    course = await memory_sessions.find_number(tx, number)
    if course is None:
        await _require_small_number(tx, number)
        await memory_sessions.begin_number(tx, caller, new, number)
        return await memory_sessions.of_id(tx, new), False
    if course.ended_at:
        await memory_sessions.reopen(tx, course.id)
    await memory_sessions.go_on(tx, caller, course.id)
    return course, True


async def _require_small_number(tx: Transaction, number: int) -> None:
    """Check that a new session's number leaves room for later ones.

    Raises:
        InvalidArgument: it is too large.
    """
    if number > LARGEST_CHOSEN:
        following = await memory_sessions.next_number(tx)
        text = TOO_LARGE.format(number=number, most=LARGEST_CHOSEN, next=following)
        raise InvalidArgument(text, field="session_id")


def _require_short_metadata(metadata: dict[str, Any]) -> None:
    """Check the size of metadata.

    Raises:
        InvalidArgument: it is too large.
    """
    size = len(json.dumps(metadata, ensure_ascii=False).encode())
    if size > MOST_METADATA:
        raise InvalidArgument(
            f"metadata: a session keeps at most {MOST_METADATA} bytes of JSON, "
            f"and this comes to {size}",
            field="metadata",
        )


LISTS = (("decision",), ("fact",), ("inference", "skill", "correction"))
"""The event types of each list, in the order in which the lists take turns."""

NOT_OPEN = (
    "no session is open; what is stored next opens session {number}, unless another client "
    "opens one before"
)


async def memory_session_resume(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Return the project's last episode and most relevant nodes; writes nothing."""
    execution = runtime.context
    limit = execution.request(MemorySessionResume).limit
    project = execution.caller.project
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        current, upcoming, last, about = await together(
            memory_sessions.find(tx, execution.caller),
            memory_sessions.next_number(tx),
            recent_nodes.last_episode(tx, project),
            _last_nodes(tx, project),
        )
        number = current.number if current else upcoming
        tx.end_with_next()
        episode, *lists = await together(
            memory_nodes.fetch(tx, [last] if last else []), *_lists(tx, execution, about, limit)
        )
    decisions, facts, other = share_room(lists, limit - len(episode))
    answer = SessionResumed(
        current_session=number,
        last_episode=render_node(episode[0]) if episode else None,
        recent_decisions=[render_node(row) for row in decisions],
        recent_facts=[render_node(row) for row in facts],
        recent_other=[render_node(row) for row in other],
        total_loaded=len(episode) + len(decisions) + len(facts) + len(other),
    )
    nodes = [render_node(row) for row in (*episode, *decisions, *facts, *other)]
    notes = [] if current else [NOT_OPEN.format(number=number)]
    return {"answer": answer.wire(), "notes": [*notes, *injection_warnings(execution, nodes)]}


HALF_LIFE_DAYS = 30.0
"""Days after which a node's weight at the start of a session is halved."""


async def _last_nodes(tx: Transaction, project: str | None) -> list[int]:
    """Return the newest nodes of the project's last session."""
    session = await recent_nodes.last_session(tx, project)
    return await recent_nodes.last_nodes(tx, session) if session else []


def _lists(
    tx: Transaction, execution: Execution, about: Sequence[int], limit: int
) -> list[Work[list[NodeRow]]]:
    """Return the queries for each list's nodes, ordered by similarity to the nodes `about`."""
    loom = execution.loom
    return [
        recent_nodes.weighed(
            tx,
            execution.caller.project,
            event_types,
            about,
            model=loom.embedder.model,
            now=loom.clock(),
            half_life=HALF_LIFE_DAYS,
            most=limit,
        )
        for event_types in LISTS
    ]


def share_room(lists: Sequence[Sequence[NodeRow]], room: int) -> list[list[NodeRow]]:
    """Return the first nodes of each list, taken in turn until `room` nodes are taken."""
    taken: list[list[NodeRow]] = [[] for _ in lists]
    for turn in zip_longest(*lists):
        for place, row in enumerate(turn):
            if row is not None and room > 0:
                taken[place].append(row)
                room -= 1
    return taken
