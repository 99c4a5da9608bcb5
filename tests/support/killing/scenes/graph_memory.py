"""The scenes of graph memory: what adds to it, and a session that is summed up as it ends."""

from __future__ import annotations

from typing import Any

from reasonloom.contracts.caller import Caller
from reasonloom.graphs.runs.engine import Engine
from tests.support.killing.scenes.scene import Given, Scene
from tests.support.memory.graph_sessions import answer, fact

EVERY_SECTOR = 31


async def a_reason(engine: Engine, owner: str) -> dict[str, Any]:
    """Add a fact; name it as what a decision rests on."""
    reason = await fact(engine, "Anna is allergic to peanuts.", Caller(owner))
    return {
        "event_type": "decision",
        "content": "The kitchen leaves the peanuts out.",
        "edges": [{"target_id": reason, "edge_type": "derived_from"}],
    }


async def a_session_to_end(engine: Engine, owner: str) -> dict[str, Any]:
    """Add two facts and a decision to a session."""
    for kind, content in (
        ("fact", "Anna comes."),
        ("fact", "Ben cooks."),
        ("decision", "No nuts."),
    ):
        await fact(engine, content, Caller(owner), event_type=kind)
    return {}


async def ended(engine: Engine, owner: str, told: dict[str, Any]) -> None:
    """Hold that the session has this one episode, and that what comes next opens another."""
    again = await answer(engine, "session_end", Caller(owner), session_id=told["session_id"])
    assert (again["episode_id"], again["summary"]) == (told["episode_id"], told["summary"])
    resumed = await answer(engine, "memory_session_resume", Caller(owner))
    assert resumed["last_episode"]["node_id"] == told["episode_id"]
    assert resumed["current_session"] == told["session_id"] + 1


MEMORY_ADD = Scene(
    "memory_add", "memory_add", "memory_add", a_reason,
    {"runs": 1, "sessions": 0, "memories": 1, "views": EVERY_SECTOR, "edges": 2}, least=10,
)  # fmt: skip
CONVERSATION_LOG = Scene(
    "conversation_log", "conversation_log", "conversation_log",
    Given({"user_message": "Wer kommt?", "agent_response": "Anna.", "topic": "küche"}),
    {"runs": 1, "sessions": 1, "current_sessions": 1, "memories": 2, "views": 2 * EVERY_SECTOR,
     "edges": 1}, least=15,
)  # fmt: skip
SESSION_END = Scene(
    "session_end", "session_end", "session_end", a_session_to_end,
    {"runs": 1, "sessions": 0, "memories": 1, "views": EVERY_SECTOR, "edges": 3 + 1}, least=30,
    calls=1, after=ended,
)  # fmt: skip
MEMORY_SCENES = (MEMORY_ADD, CONVERSATION_LOG, SESSION_END)
