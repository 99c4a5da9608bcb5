"""Answers `memory_session_resume`: what to know when a conversation begins."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import MemorySessionResume, SessionResumed
from reasonloom.nodes.graph_memory.rendering import told
from reasonloom.nodes.graph_memory.warning import warned
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_nodes, memory_sessions, recent_nodes

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_nodes import NodeRow

LISTS = (("decision",), ("fact",), ("inference", "skill", "correction"))
"""The event types of each list, in the order in which they get their turn."""

NOT_OPEN = (
    "no session is open; what is stored next opens session {number}, unless another client "
    "opens one before"
)


async def memory_session_resume(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Read the project's last episode and what matters most now; nothing is written."""
    execution = runtime.context
    limit = MemorySessionResume.model_validate(state["request"]).limit
    project = execution.caller.project
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        current = await memory_sessions.find(tx, execution.caller)
        number = current.number if current else await memory_sessions.next_number(tx)
        last = await recent_nodes.last_episode(tx, project)
        episode = await memory_nodes.fetch(tx, [last]) if last else []
        lists = await _lists(tx, execution, limit)
    decisions, facts, other = shared(lists, limit - len(episode))
    answer = SessionResumed(
        current_session=number,
        last_episode=told(episode[0]) if episode else None,
        recent_decisions=[told(row) for row in decisions],
        recent_facts=[told(row) for row in facts],
        recent_other=[told(row) for row in other],
        total_loaded=len(episode) + len(decisions) + len(facts) + len(other),
    )
    told_of = [told(row) for row in (*episode, *decisions, *facts, *other)]
    notes = [] if current else [NOT_OPEN.format(number=number)]
    return {"answer": answer.wire(), "notes": [*notes, *warned(execution, told_of)]}


async def _lists(tx: Transaction, execution: Execution, limit: int) -> list[list[NodeRow]]:
    """Return each list's nodes, most relevant to the project's last session first."""
    loom, project = execution.loom, execution.caller.project
    session = await recent_nodes.last_session(tx, project)
    about = await recent_nodes.last_nodes(tx, session) if session else []
    return [
        await recent_nodes.weighed(
            tx,
            project,
            event_types,
            about,
            model=loom.embedder.model,
            now=loom.clock(),
            half_life=loom.settings.recency_half_life_days,
            most=limit,
        )
        for event_types in LISTS
    ]


def shared(lists: Sequence[Sequence[NodeRow]], room: int) -> list[list[NodeRow]]:
    """Return the beginnings of lists: each takes a node in turn until there is no more room."""
    taken: list[list[NodeRow]] = [[] for _ in lists]
    for turn in zip_longest(*lists):
        for place, row in enumerate(turn):
            if row is not None and room > 0:
                taken[place].append(row)
                room -= 1
    return taken
