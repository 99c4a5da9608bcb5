"""Implements `remember`: embeds five views outside the transaction, then writes once."""

from dataclasses import replace
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import Remembered, SupersedingRemember
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.deduplication import (
    link_waypoints,
    near_duplicates,
    nearest_memories,
    strengthen,
)
from reasonloom.nodes.memory.embedding import embed_views
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.new_memory import new_memory_of, stated_at, views_of
from reasonloom.nodes.memory.replacement import (
    LEAST_COSINE,
    find_replaceable,
    looks_for_replaced,
    mark_replaced,
)
from reasonloom.nodes.memory.spaces import new_space_notes
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import sessions


async def remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the memory and link it to its nearest neighbours, or strengthen its duplicate."""
    execution = runtime.context
    request, removed = clean_request(execution.request(SupersedingRemember))
    at = execution.loom.clock()
    vectors, notes = await embed_views(execution.loom.embedder, views_of(request))
    notes += await new_space_notes(execution)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        vector = vectors.get("semantic")
        near = await nearest_memories(tx, execution, vector, least=LEAST_COSINE)
        tx.end_with_next()
        looks = near and looks_for_replaced(execution, request.content)
        nearest = await retrieval.fetch(tx, list(near)) if looks else []
    stated = stated_at(request, at)
    likely = await find_replaceable(request.content, stated, nearest, near)
    memory = new_memory_of(
        execution,
        request,
        at=at,
        vectors=vectors,
        effect=execution.run.effect("remember"),
        session_id=execution.run.effect("session"),
    )
    async with execution.loom.database.begin(execution.caller) as tx:
        name = request.session_id or at.date().isoformat()
        session, duplicate = await together(
            open_session(tx, execution, name),
            deduplication.find_duplicate(tx, memory, session=name),
        )
        memory = replace(memory, session_id=session)
        if duplicate is not None:
            same = await strengthen(tx, duplicate, request, memory)
            answer = Remembered(
                memory_id=f"mem-{duplicate}",
                embeddings_generated=0,
                links_created=0,
                salience=same.salience,
                strength=same.strength,
                deduplicated=True,
            )
            more = [f"the same was stored before: mem-{duplicate} was strengthened"]
        else:
            answer, more = await _store(tx, execution, memory, near)
        marked = await mark_replaced(
            tx, execution, memory_number(answer.memory_id), stated, request.supersede or (), likely
        )
        found: dict[str, Any] = {"superseded": marked.superseded} if marked.superseded else {}
        if marked.left:
            found["may_replace"] = [each.answer() for each in marked.left]
        more += marked.notes
        answer = answer.model_copy(update=found)
        return await complete_run(
            tx, execution, answer, notes=[*removed, *notes, *more], session_id=session
        )


async def open_session(tx: Transaction, execution: Execution, name: str) -> UUID:
    """Return the caller's session of this name, creating it if needed."""
    return await sessions.open_session(
        tx,
        execution.run.effect("session"),
        name=name,
        project=execution.caller.project,
        client=execution.caller.client,
    )


async def _store(
    tx: Transaction, execution: Execution, memory: NewMemory, near: dict[int, float]
) -> tuple[Remembered, list[str]]:
    """Store a memory and link it to its neighbours; return a note on near duplicates."""
    memory_id = await memories.store(tx, memory)
    links = await link_waypoints(tx, execution, memory_id, near)
    answer = Remembered(
        memory_id=f"mem-{memory_id}",
        embeddings_generated=len(memory.vectors),
        links_created=links,
        salience=memory.salience,
        strength=1.0,
    )
    alike = ", ".join(f"mem-{key}" for key in near_duplicates(near))
    return answer, [f"nearly the same as {alike}; both are kept"] if alike else []
