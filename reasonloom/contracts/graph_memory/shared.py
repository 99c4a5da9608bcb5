"""What the tools of graph memory share: their kinds, their bounds, nodes and edges as told."""

from typing import Annotated

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Whole
from reasonloom.contracts.brief import Brief
from reasonloom.contracts.memory.export_format import EdgeType, EventType

LARGEST_ID = 2**63 - 1
MOST_RESULTS = 500
MOST_EDGES = 100
"""Edges that may be named with one new memory."""

NodeId = Annotated[Whole, Field(ge=1, le=LARGEST_ID)]
SessionNumber = Annotated[Whole, Field(ge=1, le=LARGEST_ID)]
Micros = Annotated[Whole, Field(ge=0, le=LARGEST_ID)]
"""A moment in microseconds since 1970-01-01 UTC."""

Count = Annotated[Whole, Field(ge=1, le=MOST_RESULTS)]
Depth = Annotated[Whole, Field(ge=1, le=10)]
EventTypes = Annotated[list[EventType] | None, Field(max_length=6)]
EdgeTypes = Annotated[list[EdgeType] | None, Field(max_length=8)]
Query = Content


NODE = ("node_id", "event_type", "created_at", "confidence", "superseded_by")
"""What the text of a short answer has beside a node's content."""


class MemoryNode(Answer):
    """A memory as a node; `created_at` is in microseconds since 1970, `strength` fades to 0."""

    brief = Brief(main="content", text=NODE)

    node_id: int
    event_type: EventType
    content: str
    confidence: float
    session_id: int | None
    created_at: int
    strength: float
    access_count: int
    superseded_by: int | None


class ScoredNode(MemoryNode):
    """A node that was found, and how well it answers, 0..1."""

    brief = Brief(main="content", text=("score", *NODE))

    score: float


class MemoryEdge(Answer):
    """A directed edge between two nodes."""

    brief = Brief(main="reason", text=("source_id", "target_id", "edge_type"))

    source_id: int
    target_id: int
    edge_type: EdgeType
    weight: float
    reason: str | None


class NodesFound(Answer):
    """Nodes in their order; `count` is how many are shown."""

    brief = Brief(text=("results",))

    results: list[MemoryNode]
    count: int


class NodesScored(Answer):
    """Nodes with scores, best first; `count` is how many are shown."""

    brief = Brief(text=("results",))

    results: list[ScoredNode]
    count: int
