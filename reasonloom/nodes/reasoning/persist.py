"""Keeps a thought as a memory of its own, derived from the memories it used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embed_memory import embed_views
from reasonloom.nodes.memory.embedding import Viewed, views
from reasonloom.nodes.memory.new_memory import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.thoughts import NewThought

IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class KeptThought:
    """A thought ready to be stored as a memory, its vectors made."""

    memory: NewMemory

    async def store(self, tx: Transaction, used: Sequence[int]) -> int:
        """Store it with an edge `derived_from` to each memory it used that is still there."""
        memory_id = await memories.store(tx, self.memory)
        await memories.link(
            tx,
            memory_id,
            dict.fromkeys(used, self.memory.confidence),
            kind="derived_from",
            origin=self.memory.tool,
            run_id=self.memory.run_id,
        )
        return memory_id


async def keep_as_memory(
    execution: Execution, thought: NewThought
) -> tuple[KeptThought | None, list[str]]:
    """Return the thought as a memory to be stored, None where automatic memory is off."""
    loom = execution.loom
    if not loom.settings.auto_memory:
        return None, []
    now = loom.clock()
    texts = views(Viewed(thought.content, now, session=str(thought.session_id)))
    vectors, notes = await embed_views(loom.embedder, texts)
    memory = NewMemory(
        effect=execution.run.effect("keep"),
        content=thought.content,
        sector="reflective",
        event_type="inference",
        source_kind="derived",
        principal=execution.caller.owner,
        tool=execution.run.tool,
        salience=salience(thought.content, IMPORTANCE),
        importance=IMPORTANCE,
        decay_rate=DECAY_PER_DAY["reflective"],
        token_count=estimated_tokens(thought.content),
        created_at=now,
        session_id=thought.session_id,
        project=execution.caller.project,
        confidence=thought.confidence,
        keywords=keywords(thought.content),
        dates=date_terms(thought.content, None, now.date()),
        run_id=execution.run.id,
        vectors=cast("dict[str, list[float]]", vectors),
        model=loom.embedder.model if vectors else None,
    )
    return KeptThought(memory), notes
