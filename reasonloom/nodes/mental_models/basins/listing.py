"""Lists an owner's basins with how they stand now, and how they stand to each other."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.nodes.mental_models.basins.relations import Relation, relations
from reasonloom.stores.mental_models import basin_lists, basins

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom


@dataclass(frozen=True, slots=True)
class Listed:
    """A basin; `activation` 0..1: how strongly it stands now, see docs/basins.md."""

    id: UUID
    name: str
    named_by: str
    keywords: list[str]
    members: int
    coherence: float
    activation: float
    formed_at: datetime | None


async def listed(loom: Loom, caller: Caller) -> list[Listed]:
    """Return the basins, the most active first; one without members that count is at rest."""
    at, half_life = loom.clock(), loom.settings.recency_half_life_days
    async with loom.database.begin(caller, searching=True) as tx:
        there = await basins.basins(tx)
        standing = await basin_lists.standing(tx, at, half_life)
    found = [
        Listed(
            each.id, each.name, each.named_by, each.keywords,
            standing[each.id].members if each.id in standing else 0,
            each.coherence,
            standing[each.id].activation if each.id in standing else 0.0,
            each.formed_at,
        )
        for each in there
    ]  # fmt: skip
    return sorted(found, key=lambda each: (-each.activation, each.name, str(each.id)))


async def related(loom: Loom, caller: Caller) -> list[Relation]:
    """Return how the basins stand to each other, the strongest first."""
    async with loom.database.begin(caller, searching=True) as tx:
        return await relations(tx)
