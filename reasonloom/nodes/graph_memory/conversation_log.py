"""Answers `conversation_log`: a node for what the user said, one for what the agent answered."""

from __future__ import annotations

from typing import Any

from langgraph.runtime import Runtime

from reasonloom.contracts.graph_memory.sessions import ConversationLog, ConversationLogged
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.graph_memory.persistence import Draft, keep, prepared
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.memory.cleaning import clean
from reasonloom.nodes.runs.complete_run import finish
from reasonloom.nodes.state import ToolState
from reasonloom.stores.graph_memory import memory_sessions

SPEAKERS = {"user_message": ("user", 0.9), "agent_response": ("tool", 0.7)}
"""Of each speaker the kind of source and the confidence: what an agent says is no evidence for
itself. The argument's name is the category."""


async def conversation_log(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store what was said in the current session, the user's words before the agent's."""
    execution = runtime.context
    request = ConversationLog.model_validate(state["request"])
    made = [await prepared(execution, draft) for draft in _drafts(request)]
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await memory_sessions.current(
            tx, execution.caller, execution.run.effect("session")
        )
        ids = [(await keep(tx, execution, each, session)).node_id for each in made]
        answer = ConversationLogged(node_id=ids[-1], session_id=session.number, node_ids=ids)
        notes = list(dict.fromkeys(note for each in made for note in each.notes))
        return await finish(tx, execution, answer, notes=notes, session_id=session.id)


def _drafts(request: ConversationLog) -> list[Draft]:
    topic = _topic(request.topic)
    given = {name: getattr(request, name) for name in SPEAKERS}
    return [
        Draft(
            text,
            "episode",
            SPEAKERS[name][1],
            name,
            field=name,
            context=topic,
            tags=(topic,) if topic else (),
            category=name,
            source_kind=SPEAKERS[name][0],
            merges=False,
        )
        for name, text in given.items()
        if text is not None
    ]


def _topic(given: str | None) -> str | None:
    """Return the topic without hidden characters.

    Raises:
        InvalidArgument: nothing visible is left of it.
    """
    if given is None:
        return None
    topic, _ = clean(given)
    if not topic.strip():
        raise InvalidArgument("topic: must not be empty", field="topic", kind="empty")
    return topic
