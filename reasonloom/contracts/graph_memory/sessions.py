"""Sessions of graph memory and what was said in them (reference: AgenticMemory)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Answer, Content, Name, Request
from reasonloom.contracts.graph_memory.shared import Count, MemoryNode, SessionNumber


class ConversationLog(Request):
    """Keep what the user said and what you answered or did."""

    user_message: Annotated[Content | None, Field(description="What the user said")] = None
    agent_response: Annotated[Content | None, Field(description="What you answered or did")] = None
    topic: Name | None = None

    @model_validator(mode="after")
    def _require_message(self) -> ConversationLog:
        if self.user_message is None and self.agent_response is None:
            raise PydanticCustomError("one_of", "give user_message or agent_response, or both")
        return self


class ConversationLogged(Answer):
    """The node that holds it, the last of two; `node_ids` are the user's and the agent's."""

    node_id: int
    session_id: int
    node_ids: list[int]


class SessionStart(Request):
    """Start a session, or continue an earlier one; returns what the last one left open."""

    session_id: Annotated[SessionNumber | None, Field(description="A session to continue")] = None
    metadata: Annotated[dict[str, Any] | None, Field(description="Kept with the session")] = None


class PreviousSession(Answer):
    """What the session before left; all null or empty where there was none."""

    session_id: int | None
    ended: bool
    episode: MemoryNode | None
    recent_decisions: list[MemoryNode]
    recent_facts: list[MemoryNode]


class SessionStarted(Answer):
    """The session that is current now; `continued` where it had been begun before."""

    session_id: int
    continued: bool
    metadata: dict[str, Any]
    previous: PreviousSession


class SessionEnd(Request):
    """End a session; what happened in it is summed up as an episode."""

    session_id: Annotated[SessionNumber | None, Field(description="Default the current one")] = None
    create_episode: bool = True
    summary: Annotated[Content | None, Field(description="Default made from its content")] = None


class SessionEnded(Answer):
    """The end of a session and its episode, null where there is none.

    `summarised_by` is caller, llm or extract; null where no new episode was made.
    """

    session_id: int
    episode_id: int | None
    summary: str | None
    summarised_by: str | None
    node_count: int


class MemorySessionResume(Request):
    """Load what to know at a conversation's start: last episode, decisions, facts, skills."""

    limit: Count = 15


class SessionResumed(Answer):
    """What to know, each list most relevant first; `total_loaded` counts all nodes in it.

    `current_session` is the open session, or the number that the next one will have.
    """

    current_session: int
    last_episode: MemoryNode | None
    recent_decisions: list[MemoryNode]
    recent_facts: list[MemoryNode]
    recent_other: list[MemoryNode]
    total_loaded: int
