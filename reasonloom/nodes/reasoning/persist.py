"""Persist a thought in its session, and as a memory derived from the memories it used."""

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from reasonloom.contracts.base import Answer
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.new_memory import memory_of_run
from reasonloom.nodes.reasoning.lookup import memories_used_in
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sessions.context import append_thought, fork_notes
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import NewMemory
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
        weights = dict.fromkeys(self.used, self.memory.confidence)
        drawn = memories.link(
            tx, self.memory.effect, weights,
            kind="derived_from", origin=self.memory.tool, run_id=self.memory.run_id,
        )  # fmt: skip
        return [stored, drawn]


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


@dataclass(frozen=True, slots=True)
class StoredStep:
    """A thought as stored: its branch, and the ids of the memories that it relies on."""

    thought: NewThought
    branch: UUID
    used: Sequence[int]

    def fields(self) -> dict[str, Any]:
        """Return the fields by which answers describe the thought."""
        thought = self.thought
        return {
            "thought_id": str(thought.id),
            "session_id": str(thought.session_id),
            "branch_id": str(self.branch),
            "content": thought.content,
            "confidence": thought.confidence,
            "previous_thought": str(thought.parent_id) if thought.parent_id else None,
            "llm": thought.llm,
            "run_id": str(thought.run_id),
            "memories_used": self.memories,
        }

    @property
    def memories(self) -> list[str]:
        """The names of the memories that the thought relies on."""
        return [f"mem-{number}" for number in self.used]


async def persist_step(
    execution: Execution,
    state: Mapping[str, Any],
    thought: NewThought,
    answer: Callable[[StoredStep], Answer],
    *,
    used: Sequence[int] | None = None,
    notes: Sequence[str] = (),
    distinct: bool = False,
    store: Callable[[Transaction, ThoughtMemory], Awaitable[UUID]] | None = None,
) -> dict[str, Any]:
    """Store a thought in its session and in memory; return the last node's state update.

    Args:
        execution: the runtime context.
        state: the run's state, with its notes and memories so far.
        thought: the thought to store.
        answer: builds the run's answer from the stored thought.
        used: the ids of the memories that the thought relies on, by default `memories_used_in`.
        notes: the mode's own notes on the result.
        distinct: whether to store repeated notes only once.
        store: stores the thought with its memory and returns its branch, by default at the end of
            its branch.
    """
    used = memories_used_in(execution, thought.content, state) if used is None else used
    memory, added = await as_memory(execution, thought, used)
    async with execution.loom.database.begin(execution.caller) as tx:
        if store:
            branch = await store(tx, memory)
        else:
            branch, _ = await append_thought(tx, execution, thought, memory.writes)
        added = [*added, *notes, *fork_notes(thought, branch)]
        all_notes = [*state.get("notes", []), *added]
        output = await complete_run(
            tx,
            execution,
            answer(StoredStep(thought, branch, used)),
            notes=[*dict.fromkeys(all_notes)] if distinct else all_notes,
            session_id=thought.session_id,
            memories=state.get("memories", []),
        )
    return {**output, "notes": added}
