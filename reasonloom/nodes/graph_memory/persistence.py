"""Stores nodes: embeds them outside the transaction, and appends them to their session's chain."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from unicodedata import category
from uuid import UUID

from reasonloom.contracts.memory.tools import Sector
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import REMOVED
from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.new_memory import memory_of_run
from reasonloom.stores.database import Transaction
from reasonloom.stores.graph_memory import session_nodes
from reasonloom.stores.graph_memory.memory_sessions import NumberedSession
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.pipelines import Work, together
from reasonloom.text.hidden_characters import remove_hidden

SECTOR: dict[str, Sector] = {
    "fact": "semantic",
    "decision": "reflective",
    "inference": "reflective",
    "correction": "semantic",
    "skill": "procedural",
    "episode": "episodic",
}
"""The sector of each event type."""


@dataclass(frozen=True, slots=True)
class NodeDraft:
    """A node as requested.

    Attributes:
        task: distinguishes it from other nodes of the same run.
        field: the argument that its content came from, for errors.
        category: kind of node, for filters; neither embedded nor searched as text.
        merges: whether to strengthen an existing node with the same content instead.
    """

    content: str
    event_type: str
    confidence: float
    task: str
    field: str = "content"
    context: str | None = None
    tags: Sequence[str] = ()
    category: str | None = None
    source_kind: str = "user"
    merges: bool = True


@dataclass(frozen=True, slots=True)
class PreparedNode:
    """A cleaned and embedded draft, with notes."""

    draft: NodeDraft
    content: str
    at: datetime
    vectors: Mapping[str, list[float]]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A stored node, or the existing one that a duplicate was merged into.

    `edges` is the number of new edges, without that of its session's chain.
    """

    node_id: int
    merged: bool
    edges: int


Edges = Callable[[int | UUID], Sequence[Work[int]]]
"""Returns the writes of a node's edges, given its id or its effect; each counts the new edges."""


async def prepare_node(execution: Execution, draft: NodeDraft) -> PreparedNode:
    """Clean a draft and embed its views; opens no transaction.

    Raises:
        InvalidArgument: it has no visible content.
    """
    content, removed = remove_hidden(draft.content)
    if all(character.isspace() or category(character) == "Cf" for character in content):
        raise InvalidArgument(f"{draft.field}: must not be empty", field=draft.field, kind="empty")
    at = execution.loom.clock()
    views = sector_views(content, draft.context, draft.tags)
    vectors, notes = await embed_views(execution.loom.embedder, views)
    cleaned = [REMOVED.format(count=removed)] if removed else []
    return PreparedNode(draft, content, at, vectors, [*cleaned, *notes])


def node_memory(execution: Execution, made: PreparedNode, session: NumberedSession) -> NewMemory:
    """Return the row of a node in its session."""
    draft, run = made.draft, execution.run
    return memory_of_run(
        execution,
        made.content,
        sector=SECTOR[draft.event_type],
        at=made.at,
        vectors=made.vectors,
        effect=run.effect(run.tool, draft.task),
        event_type=draft.event_type,
        source_kind=draft.source_kind,
        session_id=session.id,
        confidence=draft.confidence,
        tags=draft.tags,
        category=draft.category,
        context=draft.context,
    )


def node_writes(tx: Transaction, memory: NewMemory, session: NumberedSession) -> list[Work[Any]]:
    """Return the writes that append a node to its session's chain; the first returns its id.

    The statements run in this order and may share a round trip.
    """
    chain = session_nodes.link_previous(tx, memory.effect, session.id, run_id=memory.run_id)
    return [memories.store(tx, memory), chain]


async def persist_node(
    tx: Transaction,
    execution: Execution,
    made: PreparedNode,
    session: NumberedSession,
    edges: Edges = lambda source: (),
) -> StoredNode:
    """Append a node to its session's chain, or strengthen its duplicate, and create its edges."""
    memory = node_memory(execution, made, session)
    duplicate = await deduplication.find_duplicate(tx, memory) if made.draft.merges else None
    if duplicate is not None:
        same = deduplication.strengthen(tx, duplicate, memory)
        _, *drawn = await together(same, *edges(duplicate))
        return StoredNode(duplicate, merged=True, edges=sum(drawn))
    node_id, _, *drawn = await together(*node_writes(tx, memory, session), *edges(memory.effect))
    return StoredNode(node_id, merged=False, edges=sum(drawn))
