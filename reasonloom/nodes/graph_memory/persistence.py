"""Stores nodes: embeds them outside the transaction, and appends them to their session's chain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from unicodedata import category

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
    """A stored node, or the existing one that a duplicate was merged into."""

    node_id: int
    merged: bool


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


async def persist_node(
    tx: Transaction, execution: Execution, made: PreparedNode, session: NumberedSession
) -> StoredNode:
    """Append a node to its session's chain, or strengthen its duplicate."""
    stored = await store_node(tx, execution, made, session)
    if not stored.merged:
        await session_nodes.link_previous(tx, stored.node_id, session.id, run_id=execution.run.id)
    return stored


async def store_node(
    tx: Transaction, execution: Execution, made: PreparedNode, session: NumberedSession
) -> StoredNode:
    """Store a node in its session, or strengthen its duplicate."""
    draft, run = made.draft, execution.run
    memory = memory_of_run(
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
    if draft.merges:
        duplicate = await deduplication.find_duplicate(tx, memory)
        if duplicate is not None:
            await deduplication.strengthen(tx, duplicate, memory)
            return StoredNode(duplicate, merged=True)
    return StoredNode(await memories.store(tx, memory), merged=False)
