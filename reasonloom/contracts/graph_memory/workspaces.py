"""Workspaces of memory files (reference: AgenticMemory)."""

from typing import Annotated, Literal

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Name, Request
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.graph_memory.shared import Count
from reasonloom.contracts.memory.export_format import EventType

Role = Literal["primary", "secondary", "reference", "archive"]
State = Literal["ready", "missing", "unreadable"]
Agreement = Literal["agreement", "difference", "contradiction"]
WorkspaceId = Annotated[Name, Field(description="Such as ws_1")]


class MemoryWorkspaceCreate(Request):
    """Make a workspace in which several memory files are searched and compared together."""

    name: Name


class WorkspaceCreated(Answer):
    """The new workspace."""

    workspace_id: str
    name: str


class MemoryWorkspaceAdd(Request):
    """Add a memory file (JSON lines, as `reasonloom memory export` writes) to a workspace."""

    workspace_id: WorkspaceId
    path: Annotated[
        Content, Field(description="Within the folder of memory files; .jsonl or .amem")
    ]
    role: Annotated[Role, Field(description="Its weight in what is found")] = "primary"
    label: Name | None = None


class Context(Answer):
    """A memory file as it is now: its current memories, and its `problem` if it has one."""

    brief = Brief(main="label", text=("context_id", "role", "memories", "state", "problem"))

    context_id: str
    label: str
    path: str
    role: Role
    memories: int
    state: State
    problem: str | None


class ContextAdded(Context):
    """The file that was added; `updated` where it was there and got this role and label."""

    workspace_id: str
    updated: bool


class MemoryWorkspaceList(Request):
    """List a workspace's memory files."""

    workspace_id: WorkspaceId


class ContextsListed(Answer):
    """A workspace's files, in the order they were added."""

    brief = Brief(text=("contexts",))

    workspace_id: str
    name: str
    contexts: list[Context]
    count: int


class OfItem(Request):
    """A question to all files of a workspace."""

    workspace_id: WorkspaceId
    item: Annotated[Content, Field(description="Topic to look for")]


class MemoryWorkspaceQuery(Request):
    """Search all files of a workspace at once; the role of a file weighs in the order."""

    workspace_id: WorkspaceId
    query: Content
    max_per_context: Count = 10


class ContextMatch(Answer):
    """A memory of a file; `similarity` is 0..1 in all files, `score` is weighed by role."""

    brief = Brief(main="content", text=("label", "node_id", "event_type", "score"))

    context_id: str
    label: str
    node_id: int | None
    event_type: EventType
    content: str
    confidence: float
    created_at: int | None
    similarity: float
    score: float


class ContextCount(Answer):
    """How many memories of a file match."""

    brief = Brief(main="problem", text=("label", "matches", "state"))

    context_id: str
    label: str
    role: Role
    matches: int
    state: State
    problem: str | None


class WorkspaceFound(Answer):
    """What was found, best first over all files, and how much in each."""

    brief = Brief(text=("results", "contexts"))

    results: list[ContextMatch]
    count: int
    contexts: list[ContextCount]


class MemoryWorkspaceCompare(OfItem):
    """Compare what several memory files say of a topic: agreements, differences, contradictions."""

    max_per_context: Count = 5


class ComparedPair(Answer):
    """Two memories of two files, and what they are to each other."""

    brief = Brief(main="why", text=("first", "second"))

    relation: Agreement
    first: ContextMatch
    second: ContextMatch
    why: str


class WorkspaceCompared(Answer):
    """How files agree on a topic; `only_in` holds what one file alone says."""

    brief = Brief(
        main="summary",
        text=("contradictions", "differences", "agreements", "only_in"),
        few={"agreements": 5, "only_in": 5},
    )

    item: str
    agreements: list[ComparedPair]
    differences: list[ComparedPair]
    contradictions: list[ComparedPair]
    only_in: list[ContextMatch]
    contexts: list[ContextCount]
    summary: str


class MemoryWorkspaceXref(OfItem):
    """Tell which memory files of a workspace know a topic, and which do not."""


class Presence(Answer):
    """What a file has of a topic: `coverage` is the share of its words that one memory holds."""

    brief = Brief(text=("label", "coverage", "matches", "best", "problem"))

    context_id: str
    label: str
    role: Role
    present: bool
    coverage: float
    matches: int
    best: ContextMatch | None
    state: State
    problem: str | None


class CrossReferenced(Answer):
    """Where a topic is known; `coverage` is the share of the files that could be read."""

    brief = Brief(text=("present_in", "absent_from", "undecided", "coverage"))

    item: str
    present_in: list[Presence]
    absent_from: list[Presence]
    undecided: list[Presence]
    coverage: float
