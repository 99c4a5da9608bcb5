"""Keeps a node: embedded outside the transaction, stored at the end of its session's chain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, cast
from unicodedata import category

from reasonloom.contracts.memory.tools import Sector
from reasonloom.errors import InvalidArgument
from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import ViewSource, embed_views, sector_views
from reasonloom.nodes.memory.new_memory import (
    DECAY_PER_DAY,
    estimated_tokens,
    keywords,
    salience_of,
)
from reasonloom.stores.graph_memory import session_nodes
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.text.hidden_characters import remove_hidden

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.graph_memory.memory_sessions import NumberedSession

SECTOR: dict[str, Sector] = {
    "fact": "semantic",
    "decision": "reflective",
    "inference": "reflective",
    "correction": "semantic",
    "skill": "procedural",
    "episode": "episodic",
}
"""The sector that an event type stands for where none is named."""

IMPORTANCE = 0.5
REMOVED = "{count} hidden characters (direction controls or tags) were removed"


@dataclass(frozen=True, slots=True)
class NodeDraft:
    """What is to be kept, as it was given; `task` tells it from others of the same run.

    `category` tells what a node is, for who filters by it; it is neither embedded nor a word of it.
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
    """A draft that can be stored; what had to be said of it, and when it was made."""

    draft: NodeDraft
    content: str
    at: datetime
    vectors: Mapping[Sector, list[float]]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StoredNode:
    """A node that was stored, or the one that had said the same before."""

    node_id: int
    merged: bool


async def prepare_node(execution: Execution, draft: NodeDraft) -> PreparedNode:
    """Clean a draft and embed its views; opens no transaction.

    Raises:
        InvalidArgument: nothing visible is left of it.
    """
    content, removed = remove_hidden(draft.content)
    if all(character.isspace() or category(character) == "Cf" for character in content):
        raise InvalidArgument(f"{draft.field}: must not be empty", field=draft.field, kind="empty")
    at = execution.loom.clock()
    viewed = ViewSource(content, at, context=draft.context, tags=tuple(draft.tags))
    vectors, notes = await embed_views(execution.loom.embedder, sector_views(viewed))
    said = [REMOVED.format(count=removed)] if removed else []
    return PreparedNode(draft, content, at, vectors, [*said, *notes])


async def persist_node(
    tx: Transaction, execution: Execution, made: PreparedNode, session: NumberedSession
) -> StoredNode:
    """Store a draft at the end of its session's chain, or strengthen what says the same."""
    memory = _memory(execution, made, session)
    if made.draft.merges:
        twin = await deduplication.strengthen_duplicate(tx, memory, keywords=())
        if twin is not None:
            return StoredNode(twin.id, merged=True)
    node_id = await memories.store(tx, memory)
    await session_nodes.link_previous(tx, node_id, session.id, run_id=execution.run.id)
    return StoredNode(node_id, merged=False)


def _memory(execution: Execution, made: PreparedNode, session: NumberedSession) -> NewMemory:
    draft, run = made.draft, execution.run
    sector = SECTOR[draft.event_type]
    return NewMemory(
        effect=run.effect(run.tool, draft.task),
        content=made.content,
        sector=sector,
        event_type=draft.event_type,
        source_kind=draft.source_kind,
        principal=execution.caller.owner,
        tool=run.tool,
        salience=salience_of(made.content, IMPORTANCE),
        importance=IMPORTANCE,
        decay_rate=DECAY_PER_DAY[sector],
        token_count=estimated_tokens(made.content),
        created_at=made.at,
        session_id=session.id,
        project=execution.caller.project,
        confidence=draft.confidence,
        keywords=keywords(made.content),
        tags=draft.tags,
        category=draft.category,
        dates=date_terms(made.content, draft.context, made.at.date()),
        context=draft.context,
        run_id=run.id,
        vectors=cast("dict[str, list[float]]", made.vectors),
        model=execution.loom.embedder.model if made.vectors else None,
    )
