"""How the basins of a model stand to each other, as the contract wants it told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from reasonloom.contracts.mental_models.models import Relation, Relations
from reasonloom.nodes.mental_models.basins.relations import relations

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

DIGITS = 4


async def relations_of(tx: Transaction, basins: Sequence[UUID]) -> Relations:
    """Return the relations between basins, the strongest first; one basin has none."""
    if len(basins) < 2:  # noqa: PLR2004
        return Relations(relationships=[])
    return Relations(
        relationships=[
            Relation.model_validate(
                {
                    "from": str(each.source),
                    "to": str(each.target),
                    "kind": each.kind,
                    "strength": round(each.strength, DIGITS),
                    "links": each.edges,
                }
            )
            for each in await relations(tx, basins)
        ]
    )
