"""Stores a memory: five views embedded outside the transaction, then one write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.memory import Remember, Remembered, Sector
from reasonloom.nodes.clean import cleaned
from reasonloom.nodes.dates import date_terms
from reasonloom.nodes.embed_memory import embed_views, link_waypoints, near_duplicates, nearest
from reasonloom.nodes.finish import finish
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.salience import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.views import Viewed, views
from reasonloom.stores import memories, sessions, twins
from reasonloom.stores.memories import NewMemory

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

EVENT_TYPE: dict[Sector, str] = {
    "episodic": "episode",
    "semantic": "fact",
    "procedural": "skill",
    "emotional": "episode",
    "reflective": "inference",
}
"""The event type that a sector stands for where none is named."""


async def remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's memory and link it to its nearest, or strengthen its twin."""
    execution = runtime.context
    request, removed = cleaned(Remember.model_validate(state["request"]))
    vectors, notes = await _embedded_views(execution, request)
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        near = await nearest(tx, execution, vectors.get("semantic"))
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.open_session(
            tx,
            execution.run.effect("session"),
            name=request.session_id,
            project=execution.caller.project,
            client=execution.caller.client,
        )
        memory = _new_memory(execution, request, session, vectors)
        answer, said = await _merged(tx, request, memory)
        if answer is None:
            answer, said = await _stored(tx, execution, memory, near)
        said = [*removed, *notes, *said]
        return await finish(tx, execution, answer, notes=said, session_id=session)


async def _merged(
    tx: Transaction, request: Remember, memory: NewMemory
) -> tuple[Remembered | None, list[str]]:
    """Strengthen the memory that says the same; None where there is none."""
    given = request.metadata.keywords if request.metadata else None
    twin = await twins.strengthen_twin(tx, memory, keywords=given or ())
    if twin is None:
        return None, []
    answer = Remembered(
        memory_id=f"mem-{twin.id}",
        embeddings_generated=0,
        links_created=0,
        salience=twin.salience,
        strength=twin.strength,
        deduplicated=True,
    )
    return answer, [f"the same was stored before: mem-{twin.id} was strengthened"]


async def _stored(
    tx: Transaction, execution: Execution, memory: NewMemory, near: dict[int, float]
) -> tuple[Remembered, list[str]]:
    """Store a memory and link it; name those that say nearly the same."""
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


async def _embedded_views(
    execution: Execution, request: Remember
) -> tuple[dict[Sector, list[float]], list[str]]:
    metadata = request.metadata
    viewed = Viewed(
        content=request.content,
        created_at=execution.loom.clock(),
        session=request.session_id,
        context=metadata.context if metadata else None,
        tags=tuple(metadata.tags or ()) if metadata else (),
        category=metadata.category if metadata else None,
    )
    return await embed_views(execution.loom.embedder, views(viewed))


def _new_memory(
    execution: Execution,
    request: Remember,
    session: UUID,
    vectors: dict[Sector, list[float]],
) -> NewMemory:
    metadata, run, now = request.metadata, execution.run, execution.loom.clock()
    importance = metadata.importance if metadata else 0.5
    given = metadata.keywords if metadata else None
    return NewMemory(
        effect=run.effect("remember"),
        content=request.content,
        sector=request.primary_sector,
        event_type=EVENT_TYPE[request.primary_sector],
        source_kind="user",
        principal=execution.caller.owner,
        tool=run.tool,
        salience=salience(request.content, importance),
        importance=importance,
        decay_rate=DECAY_PER_DAY[request.primary_sector],
        token_count=estimated_tokens(request.content),
        created_at=now,
        session_id=session,
        project=execution.caller.project,
        keywords=given if given is not None else keywords(request.content),
        tags=metadata.tags or () if metadata else (),
        dates=date_terms(request.content, metadata.context if metadata else None, now.date()),
        category=metadata.category if metadata else None,
        context=metadata.context if metadata else None,
        run_id=run.id,
        vectors=cast("dict[str, list[float]]", vectors),
        model=execution.loom.embedder.model if vectors else None,
    )
