"""Implements `remember`: embeds five views outside the transaction, then writes once."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.tools import Remembered, SupersedingRemember
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.cleaning import clean_request
from reasonloom.nodes.memory.deduplication import (
    fetch_neighbours,
    link_waypoints,
    near_duplicates,
    strengthen,
)
from reasonloom.nodes.memory.embedding import embed_views
from reasonloom.nodes.memory.new_memory import new_memory_of, stated_at, views_of
from reasonloom.nodes.memory.replacement import (
    HOW,
    LEAST_COSINE,
    Replaceable,
    find_replaceable,
    link_unsettled,
    looks_for_replaced,
    mark_replaced,
    settle,
)
from reasonloom.nodes.memory.spaces import new_space_notes
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sharing.places import log_use, open_place
from reasonloom.nodes.state import ToolState
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import deduplication, memories
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.pipelines import together
from reasonloom.stores.sessions import sessions


async def remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the memory and link it to its nearest neighbours, or strengthen its duplicate."""
    request, removed = clean_request(runtime.context.request(SupersedingRemember))
    execution = await open_place(runtime.context, request.place, "write")
    at = execution.loom.clock()
    vectors, notes = await embed_views(execution.loom.embedder, views_of(request))
    notes += await new_space_notes(execution)
    nearest = await fetch_neighbours(execution, vectors.get("semantic"), least=LEAST_COSINE)
    near = {each.id: cosine for cosine, each in nearest}
    stated = stated_at(request, at)
    looks = looks_for_replaced(execution, request.content)
    likely = await find_replaceable(request.content, stated, nearest if looks else [])
    settlement = settle(execution, request.supersede or (), likely)
    left = settlement.left
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
            same, _ = await together(
                strengthen(tx, duplicate, request, memory),
                link_unsettled(tx, execution, duplicate, left),
            )
            answer = Remembered(
                memory_id=execution.caller.memory_id(duplicate),
                embeddings_generated=0,
                links_created=0,
                salience=same.salience,
                strength=same.strength,
                deduplicated=True,
            )
            number = duplicate
            more = [f"the same was stored before: {answer.memory_id} was strengthened"]
        else:
            number, answer, more = await _store(tx, execution, memory, near, left)
        found: dict[str, Any] = {}
        if settlement.superseded:
            more += await mark_replaced(tx, execution, number, stated, settlement)
            found["superseded"] = [*map(execution.caller.memory_id, settlement.superseded)]
        if left:
            found["may_replace"] = [each.answer(execution.caller) for each in left]
            more.append(HOW)
        answer = answer.model_copy(update=found)
        uses = {
            "write": [number, *settlement.superseded],
            "read": [each.memory.id for each in left],
        }
        await together(*(log_use(tx, execution, *use) for use in uses.items() if use[1]))
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
    tx: Transaction,
    execution: Execution,
    memory: NewMemory,
    near: dict[int, float],
    left: Sequence[Replaceable],
) -> tuple[int, Remembered, list[str]]:
    """Store a memory and link it to its neighbours; return its number and a note on duplicates."""
    memory_id, links, _ = await together(
        memories.store(tx, memory),
        link_waypoints(tx, execution, memory.effect, near),
        link_unsettled(tx, execution, memory.effect, left),
    )
    answer = Remembered(
        memory_id=execution.caller.memory_id(memory_id),
        embeddings_generated=len(memory.vectors),
        links_created=links,
        salience=memory.salience,
        strength=1.0,
    )
    alike = ", ".join(map(execution.caller.memory_id, near_duplicates(near)))
    return memory_id, answer, [f"nearly the same as {alike}; both are kept"] if alike else []
