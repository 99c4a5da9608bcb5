"""Persist a thought as a memory derived from the memories it used."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.new_memory import memory_of_run
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sessions.context import open_session
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.sessions import branches

if TYPE_CHECKING:
    from reasonloom.contracts.base import Answer
    from reasonloom.nodes.execution import Execution
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.sessions.thoughts import NewThought


@dataclass(frozen=True, slots=True)
class ThoughtMemory:
    """A thought ready to be stored as a memory, with its vectors.

    Attributes:
        memory: None if automatic memory is off.
        used: ids of the memories that it relies on.
    """

    memory: NewMemory | None
    used: Sequence[int] = ()

    def writes(self, tx: Transaction) -> list[Coroutine[Any, Any, object]]:
        """Return the writes that store it, with `derived_from` edges to existing used memories.

        The statements run in this order and may share a round trip.
        """
        if self.memory is None:
            return []
        stored = memories.store(tx, self.memory)
        if not self.used:
            return [stored]
        return [stored, memories.link_stored(tx, self.memory, self.used, kind="derived_from")]


async def as_memory(
    execution: Execution, thought: NewThought, used: Sequence[int] = ()
) -> tuple[ThoughtMemory, list[str]]:
    """Return the thought as a memory to store, derived from the memories it used, and notes."""
    loom = execution.loom
    if not loom.settings.auto_memory:
        return ThoughtMemory(None), []
    now = loom.clock()
    texts = sector_views(thought.content)
    vectors, notes = await embed_views(loom.embedder, texts)
    memory = memory_of_run(
        execution,
        thought.content,
        sector="reflective",
        at=now,
        vectors=vectors,
        effect=execution.run.effect("keep"),
        source_kind="derived",
        session_id=thought.session_id,
        confidence=thought.confidence,
    )
    return ThoughtMemory(memory, used), notes


async def persist_first_thought(
    execution: Execution,
    thought: NewThought,
    answer: Callable[[], Answer],
    *,
    used: Sequence[int],
    memories: Sequence[Mapping[str, Any]],
    notes: Sequence[str],
) -> dict[str, Any]:
    """Store the first thought of a new session; return the last node's state update.

    `used` are the ids of the memories that it relies on, `memories` all that it was given, and
    `notes` those of the previous steps.
    """
    memory, more = await as_memory(execution, thought, used)
    session = thought.session_id
    async with execution.loom.database.begin(execution.caller) as tx:
        opening = [open_session(tx, execution, session, thought.mode)]
        await branches.extend(
            tx, thought, fork=execution.run.effect("fork"), first=opening, writes=memory.writes
        )
        all_notes = [*notes, *more]
        added = await complete_run(
            tx, execution, answer(), notes=all_notes, session_id=session, memories=memories
        )
    return {**added, "notes": more}
