"""Tree reasoning (reference: mcp-langbase-reasoning)."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Kind, Name, Request, Unit, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest

Check = Literal["blind_ballots", "word_overlap", "self_reported", "none"]


class ReasoningTree(Request):
    """Explore several unlike approaches in parallel, and recommend one.

    Each becomes a branch; blind ballots compare them.
    """

    content: Annotated[Content, Field(description="The thought to explore")]
    session_id: Annotated[Name | None, Field(description="Session to continue (default new)")] = (
        None
    )
    branch_id: Annotated[
        Name | None, Field(description="Branch to continue from (default the active one)")
    ] = None
    max_branches: Annotated[Whole, Field(ge=2, le=10, description="Most approaches to explore")] = 4
    confidence: Annotated[Unit | None, Field(description="Least confidence wanted")] = None


class SpacedTree(SpacedRequest, ReasoningTree):
    """Explore several unlike approaches in parallel, and recommend one.

    Each becomes a branch; blind ballots compare them.
    """


class ExploredBranch(Answer):
    """One approach, as a branch of its own.

    `confidence` is what its own reasoning claimed and `score` what the check gave it, both 0..1;
    `score` is null where nobody gave one; `self_reported` is no check at all. `votes` counts the
    ballots that chose it, `merged` names approaches that came to the same. `kind` marks the open
    question that takes the place of the approaches where no language model answered.
    """

    brief = Brief(
        main="content", text=("name", "score", "id", "kind"), gist=("content",), drop=("merged",)
    )

    id: str
    thought_id: str
    name: str
    content: str
    confidence: float
    score: float | None
    votes: int
    check: Check
    state: str
    merged: list[str]
    kind: Kind | None = None


class FailedBranch(Answer):
    """An approach that came to nothing: it has no branch."""

    name: str
    reason: str


class ExploredTree(Answer):
    """What the exploration of several approaches came to.

    The thought stands on the branch that the call ran on, and every explored branch begins at
    it. `ballots` counts the ballots that were cast. `partial` marks an answer for which part of
    what was asked for did not come, `exhausted` names the limit of the run that was reached.
    """

    brief = Brief(
        main="content",
        text=(
            "recommended_branch",
            "confidence",
            "branches",
            "failed_branches",
            "exhausted",
            "partial",
            "below_threshold",
            "suggestion",
            "kind",
            "thought_id",
            "session_id",
        ),
        gist=("reason",),
    )

    thought_id: str
    session_id: str
    branch_id: str
    content: str
    confidence: float
    branches_explored: int
    recommended_branch: str
    reason: str
    branches: list[ExploredBranch]
    ballots: int
    previous_thought: str | None
    llm: str
    run_id: str
    memories_used: list[str]
    failed_branches: list[FailedBranch] | None = None
    exhausted: str | None = None
    partial: bool | None = None
    below_threshold: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None
