"""Why one chunk leads to another: what the edges between them say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from reasonloom.stores.database import Transaction

BETWEEN = text("""
SELECT DISTINCT ON (p.place) p.place, e.origin, e.reason
FROM unnest(CAST(:earlier AS bigint[]), CAST(:later AS bigint[])) WITH ORDINALITY
    AS p (earlier, later, place)
JOIN edges e ON e.owner = :owner AND (
    (e.source_id = p.later AND e.target_id = p.earlier AND e.type = 'caused_by')
    OR (e.source_id = p.earlier AND e.target_id = p.later AND e.type = 'temporal_next'))
ORDER BY p.place, e.type, e.weight DESC
""")
"""A cause says more than an order."""


async def between(tx: Transaction, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Return why each earlier chunk leads to the later one; "" where no edge says so."""
    values = {
        "owner": tx.owner,
        "earlier": [earlier for earlier, _ in pairs],
        "later": [later for _, later in pairs],
    }
    rows = await tx.all(BETWEEN, values)
    said = {int(row.place): str(row.reason or row.origin) for row in rows}
    return [said.get(place, "") for place in range(1, len(pairs) + 1)]
