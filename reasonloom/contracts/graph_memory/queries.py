"""Finding nodes and looking over all of them (reference: AgenticMemory)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from reasonloom.contracts.base import Answer, Content, Request, Unit, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.graph_memory.shared import (
    NODE,
    Count,
    Depth,
    EdgeTypes,
    EventTypes,
    MemoryEdge,
    MemoryNode,
    Micros,
    NodeId,
    SessionNumber,
)
from reasonloom.contracts.validity import HeldRequest

Order = Literal["most_recent", "highest_confidence", "most_accessed", "most_important"]
Verdict = Literal["pass", "warn", "fail"]


def _refuse_crossed(request: Request, least: str, most: str) -> None:
    """Refuse two bounds between which nothing can lie."""
    low, high = getattr(request, least), getattr(request, most)
    if low is not None and high is not None and low > high:
        raise PydanticCustomError("crossed", f"{least} must not be above {most}")


class MemoryQuery(Request):
    """List nodes by type, confidence, session and time."""

    event_types: EventTypes = None
    min_confidence: Unit | None = None
    max_confidence: Unit | None = None
    session_ids: Annotated[list[SessionNumber] | None, Field(max_length=500)] = None
    created_after: Annotated[Micros | None, Field(description="Unix microseconds")] = None
    created_before: Annotated[Micros | None, Field(description="Unix microseconds")] = None
    max_results: Count = 20
    sort_by: Order = "most_recent"

    @model_validator(mode="after")
    def _in_order(self) -> MemoryQuery:
        for least, most in (
            ("min_confidence", "max_confidence"),
            ("created_after", "created_before"),
        ):
            _refuse_crossed(self, least, most)
        return self


class HeldMemoryQuery(HeldRequest, MemoryQuery):
    """List nodes by type, confidence, session and time."""


class MemorySimilar(Request):
    """Find nodes that are alike in words and meaning, or near to a vector. Give one of the two."""

    query_text: Content | None = None
    query_vec: Annotated[
        list[float] | None, Field(max_length=16_000, description="Of the embedder's dimension")
    ] = None
    top_k: Count = 10
    min_similarity: Unit = 0.5
    event_types: EventTypes = None

    @model_validator(mode="after")
    def _one_of_two(self) -> MemorySimilar:
        if (self.query_text is None) is (self.query_vec is None):
            raise PydanticCustomError("one_of", "give either query_text or query_vec, and not both")
        return self


class TimeWindow(Request):
    """What was stored between two moments, both included, in Unix microseconds."""

    type: Literal["time_window"]
    start: Micros
    end: Micros

    @model_validator(mode="after")
    def _in_order(self) -> TimeWindow:
        _refuse_crossed(self, "start", "end")
        return self


class OneSession(Request):
    """What was stored in one session."""

    type: Literal["session"]
    session_id: SessionNumber


class SomeSessions(Request):
    """What was stored in several sessions."""

    type: Literal["sessions"]
    session_ids: Annotated[list[SessionNumber], Field(min_length=1, max_length=500)]


FORMS = (
    "{type: time_window, start, end} (Unix microseconds), {type: session, session_id} "
    "or {type: sessions, session_ids}"
)
TimeRange = Annotated[
    TimeWindow | OneSession | SomeSessions,
    Field(discriminator="type"),
    WithJsonSchema(
        {
            "type": "object",
            "description": FORMS,
            "examples": [{"type": "session", "session_id": 1}],
        }
    ),
]
"""Published as its reference has it: three schemas, twice, would cost an agent 500 tokens."""


class MemoryTemporal(Request):
    """Compare what was known in two ranges: added, corrected, unchanged, faded."""

    range_a: TimeRange
    range_b: TimeRange


class Correction(Answer):
    """A node and the one that supersedes it."""

    old: MemoryNode
    new: MemoryNode


class Compared(Answer):
    """How knowledge changed from range A to range B; lists are cut, counts are whole.

    `faded` are nodes of A whose strength has fallen low; they are among `unchanged` too.
    """

    brief = Brief(few={"added": 5, "corrected": 5, "unchanged": 3, "faded": 3})

    added: list[MemoryNode]
    corrected: list[Correction]
    unchanged: list[MemoryNode]
    faded: list[MemoryNode]
    added_count: int
    corrected_count: int
    unchanged_count: int
    faded_count: int
    count_a: int
    count_b: int
    truncated: bool


class MemoryQuality(Request):
    """Judge the graph: weak, faded, unlinked nodes, decisions without grounds, contradictions."""

    low_confidence_threshold: Unit = 0.45
    stale_decay_threshold: Unit = 0.2
    max_examples: Count = 20


class Finding(Answer):
    """One kind of weakness: how many nodes, their share of those it can concern, examples."""

    brief = Brief(few={"examples": 3})

    count: int
    share: float
    examples: list[MemoryNode]


class Contradictions(Finding):
    """Pairs of current nodes of which one contradicts the other; `share` is of the nodes in one."""

    brief = Brief(few={"examples": 3, "pairs": 5})

    pairs: list[list[int]]


class QualityReport(Answer):
    """The graph's state: `fail`, `warn` or `pass`, and the rules that say why."""

    status: Verdict
    reasons: list[str]
    node_count: int
    superseded_count: int
    low_confidence: Finding
    stale: Finding
    orphans: Finding
    unsupported_decisions: Finding
    contradictions: Contradictions


class MemoryStats(Request):
    """Count nodes, edges, sessions and types."""


class GraphStats(Answer):
    """Counts; `file_size_bytes` is the size of the owner's rows."""

    brief = Brief(
        text=(
            "node_count",
            "edge_count",
            "session_count",
            "superseded_count",
            "type_counts",
            "edge_type_counts",
        )
    )

    node_count: int
    edge_count: int
    dimension: int
    session_count: int
    type_counts: dict[str, int]
    file_size_bytes: int
    edge_type_counts: dict[str, int]
    superseded_count: int


Direction = Literal["forward", "backward", "both"]


class MemoryTraverse(Request):
    """Walk from a node along edges; the best paths, by weight, come first."""

    start_id: NodeId
    edge_types: Annotated[EdgeTypes, Field(description="Default all")] = None
    direction: Direction = "forward"
    max_depth: Depth = 5
    max_results: Count = 20
    min_confidence: Unit | None = None


class MemoryContext(Request):
    """Show the nodes and edges around one node."""

    node_id: NodeId
    depth: Annotated[Whole, Field(ge=1, le=5)] = 2


class ReachedNode(MemoryNode):
    """A node and the best path to it: its edges' number, and their weights multiplied, 0..1."""

    brief = Brief(main="content", text=("depth", "path_weight", *NODE))

    depth: int
    path_weight: float


class Walked(Answer):
    """The start, at depth 0, then the nodes reached, best paths first; and the edges between them.

    The start is counted in `count` and not in `max_results`. `truncated` says that something
    was left out, and notes say what; `max_depth` leaves out silently what lies further away.
    """

    brief = Brief(text=("results", "edges", "truncated"))

    results: list[ReachedNode]
    edges: list[MemoryEdge]
    count: int
    truncated: bool


class MemoryCausal(Request):
    """Tell what depends on a node: what was caused by it, derived from it, or rests on it."""

    node_id: NodeId
    max_depth: Depth = 5


class Impact(Answer):
    """What depends on a node, best paths first.

    All that was found is counted, by type too; `dependents` are the first hundred of it.
    `edges` are those that carry dependence among the dependents and the root.
    """

    brief = Brief(
        text=(
            "dependent_count",
            "affected_decisions",
            "affected_inferences",
            "dependents",
            "truncated",
        ),
        few={"dependents": 10},
        drop=("edges",),
    )

    root_id: int
    dependent_count: int
    affected_decisions: int
    affected_inferences: int
    dependents: list[ReachedNode]
    edges: list[MemoryEdge]
    truncated: bool
