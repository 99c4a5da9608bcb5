"""Expands search hits with memories of the same basins.

The score of a sibling is that of its hit times their cosine: on the same scale and never higher.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from reasonloom.stores.database import Transaction
from reasonloom.stores.memory.search.scope import Scope
from reasonloom.stores.mental_models.basin_memories import basins_of, siblings
from reasonloom.stores.pipelines import together

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
    home = await basins_of(tx, [hit.id for hit in ordered])
    leads: dict[UUID, Hit] = {}
    for hit in ordered:
        if hit.id in home and len(leads) < MOST_BASINS:
            leads.setdefault(home[hit.id], hit)
    without = [hit.id for hit in ordered]
    near = await together(
        *(
            siblings(
                tx, lead.id, basin, model=model, scope=scope, without=without, most=MOST_SIBLINGS
            )
            for basin, lead in leads.items()
        )
    )
    found: list[Sibling] = []
    for (basin, lead), alike in zip(leads.items(), near, strict=True):
        found += [Sibling(one.id, lead.score * one.cosine, lead.id, basin) for one in alike]
    return sorted(found, key=lambda each: (-each.score, each.id))
