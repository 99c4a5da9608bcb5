"""The reasoning modes (reference: mcp-langbase-reasoning)."""

from typing import Annotated, Any, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Kind, Name, Request, Unit
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.space import SpacedRequest


class ReasoningLinear(Request):
    """Take one step of reasoning from a thought.

    Relevant memories are recalled first; the step joins the session's history.
    """

    content: Annotated[Content, Field(description="The thought to continue")]
    session_id: Annotated[Name | None, Field(description="Session to continue (default new)")] = (
        None
    )
    confidence: Annotated[Unit | None, Field(description="Least confidence wanted")] = None


class SpacedLinear(SpacedRequest, ReasoningLinear):
    """Take one step of reasoning from a thought; relevant memories are recalled first."""


STEP = ("confidence", "below_threshold", "suggestion", "kind", "thought_id", "session_id")
"""What the text of a short answer has beside the step's content."""


class LinearThought(Answer):
    """One step of a session.

    `llm` names what produced it and `below_threshold` marks a step that stayed under the
    confidence asked for.
    """

    brief = Brief(main="content", text=STEP)

    thought_id: str
    session_id: str
    branch_id: str
    content: str
    confidence: float
    previous_thought: str | None
    llm: str
    run_id: str
    memories_used: list[str]
    below_threshold: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None


class OfSession(Request):
    """A request about a session that must exist."""

    session_id: Annotated[Name, Field(description="The session")]


class TreeFocus(OfSession):
    """Make a branch the active one: the session's next steps stand on it.

    A completed or abandoned branch is opened again.
    """

    branch_id: Annotated[Name, Field(description="The branch")]


class TreeList(OfSession):
    """List a session's branches, and which is active."""


class TreeComplete(OfSession):
    """Mark a branch as completed or abandoned.

    Where it was the active one, its parent becomes active.
    """

    branch_id: Annotated[Name, Field(description="The branch")]
    state: Annotated[Literal["completed", "abandoned"], Field(description="Its new state")]


class CheckpointCreate(OfSession):
    """Set a checkpoint: the session's state now, to come back to by reasoning_backtrack."""

    name: Annotated[Name, Field(description="What to call it")]
    description: Annotated[Content | None, Field(description="What it marks")] = None


class CheckpointList(OfSession):
    """List a session's checkpoints."""


class Backtrack(Request):
    """Go back to a checkpoint, on a new branch.

    What was thought since stays stored, and the next steps do not see it.
    """

    checkpoint_id: Annotated[Name, Field(description="The checkpoint")]
    new_direction: Annotated[
        Content | None, Field(description="What to try from there instead (default: only go back)")
    ] = None
    session_id: Annotated[
        Name | None, Field(description="Session that the checkpoint must belong to")
    ] = None
    confidence: Annotated[Unit | None, Field(description="Least confidence wanted")] = None


class Branch(Answer):
    """A branch of a session; `head_thought_id` is the thought that its next step follows."""

    brief = Brief(main="name", text=("id", "state", "active", "confidence", "parent_id"))

    id: str
    session_id: str
    name: str | None
    parent_id: str | None
    state: str
    confidence: float
    priority: int
    head_thought_id: str | None
    active: bool
    created_at: str
    updated_at: str


class ChangedBranch(Branch):
    """A branch as it is after a change, and which branch is active now."""

    brief = Brief(main="name", text=("id", "state", "active", "active_branch_id"))

    active_branch_id: str


class BranchList(Answer):
    """A session's branches, the root first, then as they were made."""

    session_id: str
    active_branch_id: str
    branches: list[Branch]


class SetCheckpoint(Answer):
    """A checkpoint: the branch that was active, and the thought that it ended in."""

    brief = Brief(main="name", text=("id", "branch_id", "thought_id", "description"))

    id: str
    session_id: str
    branch_id: str
    thought_id: str | None
    name: str
    description: str | None
    created_at: str


class Checkpoint(SetCheckpoint):
    """A checkpoint with the state that it keeps."""

    brief = Brief(main="name", text=("id", "branch_id", "created_at"), drop=("snapshot",))

    snapshot: dict[str, Any]


class CheckpointsListed(Answer):
    """A session's checkpoints in the order in which they were set."""

    session_id: str
    checkpoints: list[Checkpoint]


class Backtracked(Answer):
    """Where the session stands after going back.

    The thought is the new one, or without a new direction the checkpoint's own; it is null
    where nothing was thought before the checkpoint.
    """

    brief = Brief(main="content", text=("branch_id", *STEP))

    thought_id: str | None
    session_id: str
    branch_id: str
    checkpoint_id: str
    content: str
    confidence: float
    previous_thought: str | None
    run_id: str
    llm: str | None = None
    memories_used: list[str] | None = None
    below_threshold: bool | None = None
    suggestion: str | None = None
    kind: Kind | None = None
