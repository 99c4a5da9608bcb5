"""Implements `memory_promote`: copies a memory into a shared space, with its provenance."""

import hashlib
from typing import Any, cast
from uuid import UUID, uuid5

from langgraph.runtime import Runtime

from reasonloom.contracts.memory.sharing import MemoryPromote, MemoryPromoted
from reasonloom.contracts.memory.tools import Sector
from reasonloom.contracts.places import ME
from reasonloom.errors import InvalidArgument, MemoryNotFound
from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.deduplication import fetch_neighbours, link_waypoints
from reasonloom.nodes.memory.embedding import embed_views, sector_views
from reasonloom.nodes.memory.forget import memory_number
from reasonloom.nodes.memory.new_memory import memory_of_run
from reasonloom.nodes.memory.replacement import LEAST_COSINE
from reasonloom.nodes.runs.complete_run import complete_run
from reasonloom.nodes.sharing.places import locate, log_read, log_use, open_place
from reasonloom.nodes.state import ToolState
from reasonloom.stores.memory import memories
from reasonloom.stores.memory.memories import KnownMemory
from reasonloom.stores.pipelines import together

PROMOTIONS = UUID("5b1c7f0e-6a55-4f3b-9a43-6f2c1d1f8e21")
ONTO_ITSELF = "space: must be another space than the memory's own, such as team/payments"


async def memory_promote(state: ToolState, runtime: Runtime[Execution]) -> dict[str, Any]:
    """Copy a memory into another space; the same content is copied once.

    Raises:
        MemoryNotFound: the caller cannot read such a memory.
        NotPermitted: the right `promote` is missing on one of the spaces.
        InvalidArgument: the memory is in that space already.
    """
    request = runtime.context.request(MemoryPromote)
    source, plain = await locate(runtime.context, request.memory_id, "promote")
    target = await open_place(runtime.context, request.place, "promote")
    origin, place = ((each.caller.host_or_owner, each.caller.space) for each in (source, target))
    if origin == place:
        raise InvalidArgument(ONTO_ITSELF, field="space")
    memory = await _read(source, memory_number(plain), request.memory_id)
    origin_id = source.caller.memory_id(memory.id)
    vectors, notes = await embed_views(
        target.loom.embedder, sector_views(memory.content, memory.context, memory.tags)
    )
    nearest = await fetch_neighbours(target, vectors.get("semantic"), least=LEAST_COSINE)
    copied = memory_of_run(
        target,
        memory.content,
        sector=cast("Sector", memory.sector),
        at=target.loom.clock(),
        vectors=vectors,
        effect=_effect(origin, place, memory),
        importance=memory.importance,
        salience=memory.salience,
        confidence=memory.confidence,
        valid_from=memory.valid_from,
        source_kind=memory.source_kind,
        keywords=memory.keywords,
        tags=memory.tags,
        category=memory.category,
        context=memory.context,
        other_metadata={
            **memory.other_metadata,
            "promotedFrom": origin_id,
            "writtenBy": memory.principal,
        },
    )
    async with target.loom.database.begin(target.caller) as tx:
        number, _ = await together(
            memories.store(tx, copied),
            link_waypoints(tx, target, copied.effect, {one.id: cos for cos, one in nearest}),
        )
        await log_use(tx, target, "promote", [number])
        answer = MemoryPromoted(
            memory_id=target.caller.memory_id(number),
            space=target.caller.address or ME,
            promoted_from=origin_id,
        )
        return await complete_run(tx, target, answer, notes=notes)


def _effect(origin: tuple[str, str], place: tuple[str, str], memory: KnownMemory) -> UUID:
    """Return the id of copying a memory's content from one space to another."""
    digest = hashlib.sha256(memory.content.encode()).hexdigest()
    return uuid5(PROMOTIONS, "\0".join((*origin, *place, str(memory.id), digest)))


async def _read(source: Execution, number: int, memory_id: str) -> KnownMemory:
    """Return a memory that was stored by a user or a tool."""
    async with source.loom.database.begin(source.caller, once=True) as tx:
        memory = (await memories.read_many(tx, [number])).get(number)
    if memory is None or memory.source_kind not in ("user", "tool"):
        raise MemoryNotFound(memory_id, field="memoryId")
    await log_read(source, [number])
    return memory
