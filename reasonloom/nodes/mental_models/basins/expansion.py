"""Adds to what was found what stands in the same basins.

A sibling's score is that of the hit that led to it times the cosine of the two: the same scale,
and never above that hit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.stores.mental_models.basin_memories import basins_of, siblings

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction
    from reasonloom.stores.memory.search.scope import Scope

MOST_BASINS = 3
MOST_SIBLINGS = 5
"""Siblings of one basin."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, and its score, 0..1."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Sibling:
    """A sibling: its score, the hit that led to it, and the basin of both."""

    id: int
    score: float
    lead: int
    basin: UUID


async def expand(
    tx: Transaction, hits: Sequence[Hit], *, model: str, scope: Scope
) -> list[Sibling]:
    """Return siblings of the best hits that are in basins, best first; none is among the hits.

    The first three basins that the hits lead to, best hit first, give five each at most, those
    most like the hit. Only what `scope` lets be found.
    """
    ordered = sorted(hits, key=lambda hit: (-hit.score, hit.id))
    home = await basins_of(tx, [hit.id for hit in ordered])
    leads: dict[UUID, Hit] = {}
    for hit in ordered:
        if hit.id in home and len(leads) < MOST_BASINS:
            leads.setdefault(home[hit.id], hit)
    without = [hit.id for hit in ordered]
    found: list[Sibling] = []
    for basin, lead in leads.items():
        near = await siblings(
            tx, lead.id, basin, model=model, scope=scope, without=without, most=MOST_SIBLINGS
        )
        found += [Sibling(one.id, lead.score * one.cosine, lead.id, basin) for one in near]
    return sorted(found, key=lambda each: (-each.score, each.id))
