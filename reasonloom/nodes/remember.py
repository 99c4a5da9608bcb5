"""Stores a memory: five views embedded outside the transaction, then one write."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast
from uuid import UUID

from langgraph.runtime import Runtime

from reasonloom.contracts.memory import Remember, Remembered, Sector
from reasonloom.nodes.finish import finish
from reasonloom.nodes.loom import Execution
from reasonloom.nodes.scoring import DECAY_PER_DAY, estimated_tokens, keywords, salience
from reasonloom.nodes.state import ToolState
from reasonloom.nodes.vectors import embed_or_say
from reasonloom.nodes.views import Viewed, views
from reasonloom.stores import memories, search, sessions
from reasonloom.stores.memories import NewMemory
from reasonloom.stores.search import Nearness, Scope

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

MOST_WAYPOINTS = 3
WAYPOINT_COSINE = 0.45
"""Memories less alike than this are not linked."""


async def remember(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Store the request's memory and link it to its nearest."""
    execution = runtime.context
    request = Remember.model_validate(state["request"])
    vectors, notes = await _embedded_views(execution, request)
    async with execution.loom.database.begin(execution.caller) as tx:
        session = await sessions.open_session(
            tx,
            execution.run.effect("session"),
            name=request.session_id,
            project=execution.caller.project,
            client=execution.caller.client,
        )
        memory = _new_memory(execution, request, session, vectors)
        near = await _nearest(tx, execution, vectors.get("semantic"))
        memory_id = await memories.store(tx, memory)
        links = await memories.link(
            tx, memory_id, near, kind="related_to", origin="waypoint", run_id=execution.run.id
        )
        answer = Remembered(
            memory_id=f"mem-{memory_id}",
            embeddings_generated=len(vectors),
            links_created=links,
            salience=memory.salience,
            strength=1.0,
        )
        return await finish(tx, execution, answer, notes=notes, session_id=session)


async def _embedded_views(
    execution: Execution, request: Remember
) -> tuple[dict[Sector, list[float]], list[str]]:
    metadata = request.metadata
    texts = views(
        Viewed(
            content=request.content,
            created_at=execution.loom.clock(),
            session=request.session_id,
            context=metadata.context if metadata else None,
            tags=tuple(metadata.tags or ()) if metadata else (),
            category=metadata.category if metadata else None,
        )
    )
    vectors, notes = await embed_or_say(execution.loom.embedder, list(texts.values()))
    return dict(zip(texts, vectors, strict=False)), notes


def _new_memory(
    execution: Execution,
    request: Remember,
    session: UUID,
    vectors: dict[Sector, list[float]],
) -> NewMemory:
    metadata, run = request.metadata, execution.run
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
        created_at=execution.loom.clock(),
        session_id=session,
        project=execution.caller.project,
        keywords=given if given is not None else keywords(request.content),
        tags=metadata.tags or () if metadata else (),
        category=metadata.category if metadata else None,
        context=metadata.context if metadata else None,
        run_id=run.id,
        vectors=cast("dict[str, list[float]]", vectors),
        model=execution.loom.embedder.model if vectors else None,
    )


async def _nearest(
    tx: Transaction, execution: Execution, vector: list[float] | None
) -> dict[int, float]:
    """Return the most alike memories that are alike enough, with their cosines."""
    if vector is None:
        return {}
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    found = await search.alike(tx, near, scope=Scope(), pool=MOST_WAYPOINTS)
    return {key: cosine for key, cosine in found.items() if cosine >= WAYPOINT_COSINE}
