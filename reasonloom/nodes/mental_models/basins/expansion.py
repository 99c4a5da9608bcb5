"""Expands search hits with memories of the same basins.

The score of a sibling is that of its hit times their cosine: on the same scale and never higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.stores.mental_models.basin_memories import siblings

MOST_BASINS = 3
MOST_SIBLINGS = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A found memory and its score, 0..1."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Sibling:
    """A memory in the basin of a hit: its score, the hit (`lead`) and the basin."""

    id: int
    score: float
    lead: int
    basin: UUID


async def expand(
    tx: Transaction, hits: Sequence[Hit], *, model: str, scope: Scope
) -> list[Sibling]:
    """Return siblings of the best hits, best first, without the hits themselves.

    Each of the basins of the best hits, up to `MOST_BASINS`, contributes the memories in `scope`
    most similar to its hit, up to `MOST_SIBLINGS`.
    """
    if not hits:
        return []
    ordered = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    score = {hit.id: hit.score for hit in hits}
    near = await siblings(
        tx, [hit.id for hit in ordered],
        model=model, scope=scope, most_basins=MOST_BASINS, most=MOST_SIBLINGS,
    )  # fmt: skip
    found = [Sibling(one.id, score[one.lead] * one.cosine, one.lead, one.basin) for one in near]
    return sorted(found, key=lambda each: (-each.score, each.id))
