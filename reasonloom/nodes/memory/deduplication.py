"""Finds and links the near neighbours of a memory, among them its near duplicates."""

from collections.abc import Mapping
from itertools import islice
from uuid import UUID

from reasonloom.nodes.execution import Execution
from reasonloom.nodes.memory.new_memory import Given
from reasonloom.stores.database import Transaction
from reasonloom.stores.memory import deduplication, memory_links
from reasonloom.stores.memory.deduplication import Duplicate
from reasonloom.stores.memory.memories import NewMemory
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.retrieval import FoundMemory
from reasonloom.stores.memory.search.scope import Nearness, Scope

MOST_WAYPOINTS = 3
WAYPOINT_COSINE = 0.45
"""Minimum cosine similarity of linked memories."""

DUPLICATE_COSINE = 0.95
"""Minimum cosine similarity of near duplicates: both are stored and linked as such."""

MOST_COMPARED = 6
"""Maximum memories that are compared with a new one."""


async def nearest_memories(
    tx: Transaction,
    execution: Execution,
    vector: list[float] | None,
    *,
    exclude: int = 0,
    least: float = WAYPOINT_COSINE,
) -> dict[int, float]:
    """Return the cosines of up to three nearest memories, each at least `least`, by id.

    `exclude` is the id of the memory itself, if it is already stored.
    """
    if vector is None:
        return {}
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    found = await retrieval.find_nearest(tx, near, scope=Scope(), pool=MOST_WAYPOINTS + 1)
    similar = ((key, cosine) for key, cosine in found.items() if key != exclude and cosine >= least)
    return dict(islice(similar, MOST_WAYPOINTS))


async def fetch_neighbours(
    execution: Execution, vector: list[float] | None, *, least: float
) -> list[tuple[float, FoundMemory]]:
    """Return the nearest memories, each after its cosine, which is at least `least`."""
    if vector is None:
        return []
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    async with execution.loom.database.begin(execution.caller, searching=True) as tx:
        found = await retrieval.fetch_nearest(tx, near, scope=Scope(), pool=MOST_COMPARED)
    return [each for each in found if each[0] >= least]


async def link_waypoints(
    tx: Transaction, execution: Execution, source: int | UUID, near: Mapping[int, float]
) -> int:
    """Link a memory to the first neighbours that are similar enough; return the new links' number.

    `source` is its id or its effect; `near` has the cosines, highest first.
    """
    similar = ((key, cosine) for key, cosine in near.items() if cosine >= WAYPOINT_COSINE)
    near = dict(islice(similar, MOST_WAYPOINTS))
    origins = dict.fromkeys(near, memory_links.WAYPOINT)
    origins.update(dict.fromkeys(near_duplicates(near), memory_links.NEAR_DUPLICATE))
    return await memory_links.link_waypoints(
        tx, source, near, origins=origins, run_id=execution.run.id
    )


def near_duplicates(near: Mapping[int, float]) -> list[int]:
    """Return the ids of the neighbours that are near duplicates."""
    return [key for key, cosine in near.items() if cosine >= DUPLICATE_COSINE]


async def strengthen(tx: Transaction, duplicate: int, given: Given, memory: NewMemory) -> Duplicate:
    """Strengthen the stored memory that has the same content as `memory`."""
    keywords = given.metadata.keywords if given.metadata else None
    return await deduplication.strengthen(tx, duplicate, memory, keywords=keywords or ())
