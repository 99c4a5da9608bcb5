"""Adding and correcting nodes (reference: AgenticMemory)."""

from typing import Annotated

from pydantic import Field

from reasonloom.contracts.base import Answer, Content, Request, Unit
from reasonloom.contracts.graph_memory.shared import MOST_EDGES, MemoryNode, NodeId
from reasonloom.contracts.memory.export_format import EdgeType, EventType


class NewEdge(Request):
    """An edge from the new node to one that is there."""

    target_id: NodeId
    edge_type: EdgeType
    weight: Unit = 1.0


class MemoryAdd(Request):
    """Store a fact, decision, inference, correction, skill or episode as a node of the graph.

    Name what it rests on as edges: all is stored, or nothing.
    """

    event_type: EventType
    content: Annotated[Content, Field(description="What to remember")]
    confidence: Unit = 0.9
    edges: Annotated[
        list[NewEdge] | None,
        Field(max_length=MOST_EDGES, description="From the new node to others"),
    ] = None


class MemoryAdded(Answer):
    """What was stored; `edges_created` counts the edges asked for that are new."""

    node_id: int
    event_type: EventType
    edges_created: int
    session_id: int
    deduplicated: bool


class MemoryCorrect(Request):
    """Correct a node: a new one supersedes it, and search and grounding use the new one."""

    old_node_id: NodeId
    new_content: Annotated[Content, Field(description="What is right")]
    confidence: Unit = 0.95
    reason: Annotated[Content | None, Field(description="Why")] = None


class MemoryCorrected(Answer):
    """The correction, of the old node's type.

    `also_corrected_by` are earlier corrections of the same node, newest first.
    """

    old_node_id: int
    new_node_id: int
    reason: str | None
    event_type: EventType
    session_id: int
    also_corrected_by: list[int]


class MemoryResolve(Request):
    """Follow corrections from a node to the newest version of what it says."""

    node_id: NodeId


class MemoryResolved(Answer):
    """The newest version of what a node says; the node itself where nothing newer corrects it.

    Attributes:
        chain: a shortest way of corrections from the node asked for to the newest.
        branches: the versions that nothing newer corrects, newest first; more than one where a
            node was corrected twice.
        cycle: corrections lead in a circle; the newest node is taken.
    """

    original_id: int
    resolved_id: int
    is_latest: bool
    latest: MemoryNode
    chain: list[int]
    branches: list[int]
    cycle: bool
