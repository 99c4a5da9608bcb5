"""Keeps a thought as a memory of its own, derived from the memories it used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from reasonloom.nodes.memory.dates import date_terms
from reasonloom.nodes.memory.embedding import ViewSource, embed_views, sector_views
from reasonloom.nodes.memory.new_memory import (
    DECAY_PER_DAY,
    estimated_tokens,
    keywords,
    salience_of,
)
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions import branches, sessions

if TYPE_CHECKING:
    from reasonloom.contracts.base import Answer
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.thoughts import NewThought


IMPORTANCE = 0.5


@dataclass(frozen=True, slots=True)
class ThoughtMemory:
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


async def as_memory(
    execution: Execution, thought: NewThought
) -> tuple[ThoughtMemory | None, list[str]]:
    """Return the thought as a memory to be stored, None where automatic memory is off."""
    loom = execution.loom
    if not loom.settings.auto_memory:
        return None, []
    now = loom.clock()
    texts = sector_views(ViewSource(thought.content, now, session=str(thought.session_id)))
    vectors, notes = await embed_views(loom.embedder, texts)
    memory = NewMemory(
        effect=execution.run.effect("keep"),
        content=thought.content,
        sector="reflective",
        event_type="inference",
        source_kind="derived",
        principal=execution.caller.owner,
        tool=execution.run.tool,
        salience=salience_of(thought.content, IMPORTANCE),
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
    return ThoughtMemory(memory), notes


async def persist_first_thought(
    execution: Execution,
    thought: NewThought,
    answer: Callable[[], Answer],
    *,
    used: Sequence[int],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Store the thought in one transaction and return what the run's last node adds.

    `used` are the ids of the memories that it rests on, `notes` those of the steps before.
    """
    memory, more = await as_memory(execution, thought)
    session = thought.session_id
    async with execution.loom.database.begin(execution.caller) as tx:
        await sessions.open_session(tx, session, mode=thought.mode, client=execution.caller.client)
        await branches.plant_root(tx, session)
        await branches.extend(tx, thought, fork=execution.run.effect("fork"))
        if memory:
            await memory.store(tx, used)
        all_notes = [*notes, *more]
        added = await complete_run(tx, execution, answer(), notes=all_notes, session_id=session)
    return {**added, "notes": more}
