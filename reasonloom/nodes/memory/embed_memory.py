"""What storing and changing a memory share: the vectors of its views, and its waypoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from reasonloom.contracts.memory.tools import Sector
from reasonloom.nodes.memory.vectors import embed_or_say
from reasonloom.stores.memory import waypoints
from reasonloom.stores.memory.search import retrieval
from reasonloom.stores.memory.search.scope import Nearness, Scope

if TYPE_CHECKING:
    from reasonloom.llm.port import Embedder
    from reasonloom.nodes.loom import Execution
    from reasonloom.stores.database import Transaction

MOST_WAYPOINTS = 3
WAYPOINT_COSINE = 0.45
"""Memories less alike than this are not linked."""

DUPLICATE_COSINE = 0.95
"""Memories at least this much alike say nearly the same: both are kept, and linked as such."""


async def embed_views(
    embedder: Embedder, texts: Mapping[Sector, str]
) -> tuple[dict[Sector, list[float]], list[str]]:
    """Return the vector of each view, or none and the note that says why."""
    vectors, notes = await embed_or_say(embedder, list(texts.values()))
    return dict(zip(texts, vectors, strict=False)), notes


async def nearest(
    tx: Transaction, execution: Execution, vector: list[float] | None, *, besides: int = 0
) -> dict[int, float]:
    """Return the most alike memories that are alike enough, with their cosines.

    `besides` is the memory itself, where it is stored already.
    """
    if vector is None:
        return {}
    near = Nearness(vector, execution.loom.embedder.model, ["semantic"])
    found = await retrieval.alike(tx, near, scope=Scope(), pool=MOST_WAYPOINTS + 1)
    alike = {
        key: cosine for key, cosine in found.items() if key != besides and cosine >= WAYPOINT_COSINE
    }
    return dict(list(alike.items())[:MOST_WAYPOINTS])


async def link_waypoints(
    tx: Transaction, execution: Execution, memory_id: int, near: Mapping[int, float]
) -> int:
    """Link a memory to its nearest; return how many links were made."""
    origins = dict.fromkeys(near, waypoints.WAYPOINT)
    origins.update(dict.fromkeys(near_duplicates(near), waypoints.NEAR_DUPLICATE))
    return await waypoints.lead(tx, memory_id, near, origins=origins, run_id=execution.run.id)


def near_duplicates(near: Mapping[int, float]) -> list[int]:
    """Return those of the nearest that say nearly the same."""
    return [key for key, cosine in near.items() if cosine >= DUPLICATE_COSINE]
