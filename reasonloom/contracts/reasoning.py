"""The reasoning modes (reference: mcp-langbase-reasoning)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Name, Request, Unit


class ReasoningLinear(Request):
    """Take one step of reasoning from a thought.

    Relevant memories are recalled first; the step joins the session's history.
    """

    content: Annotated[Content, Field(description="The thought to continue")]
    session_id: Annotated[Name | None, Field(description="Session to continue (default new)")] = (
        None
    )
    confidence: Annotated[Unit | None, Field(description="Least confidence wanted")] = None


class LinearThought(Answer):
    """One step of a session.

    `llm` names what produced it and `below_threshold` marks a step that stayed under the
    confidence asked for.
    """

    thought_id: str
    session_id: str
    content: str
    confidence: float
    previous_thought: str | None
    llm: str
    run_id: str
    memories_used: list[str]
    below_threshold: bool | None = None
    suggestion: str | None = None
