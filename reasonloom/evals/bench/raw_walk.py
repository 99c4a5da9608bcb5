"""The floor of `memory_traverse`: the walk as one would write it by hand, and its nodes.

All paths of five edges at most, the best worth of each node, the twenty best with their
contents: without a visited set, a limit for hubs, or the edges between.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

from reasonloom.evals.bench.environment import Ground

BIND = "SELECT set_config('app.owner', %s, true), set_config('app.space', '', true)"
WALK = """
WITH RECURSIVE walk AS (
    SELECT %(start)s::bigint AS id, 1::float8 AS worth, 0 AS depth
    UNION ALL
    SELECT e.target_id, w.worth * e.weight, w.depth + 1 FROM walk w
    JOIN edges e ON e.owner = %(owner)s AND e.source_id = w.id WHERE w.depth < 5
), best AS (
    SELECT id, max(worth) AS worth, min(depth) AS depth FROM walk GROUP BY id
    ORDER BY worth DESC, id LIMIT 21
)
SELECT best.id, best.worth, best.depth, m.event_type, m.content, m.confidence, m.created_at
FROM best JOIN memories m ON m.owner = %(owner)s AND m.id = best.id WHERE m.deleted_at IS NULL
ORDER BY best.worth DESC
"""


@dataclass
class RawWalk:
    """The raw walk of one owner on a connection of its own."""

    connection: psycopg.AsyncConnection[Any]

    async def walk(self, owner: str, start: int) -> int:
        """Walk from a node; return how many nodes were found."""
        async with self.connection.transaction():
            await self.connection.execute(BIND, (owner,))
            cursor = await self.connection.execute(WALK, {"owner": owner, "start": start})
            return len(await cursor.fetchall())


async def raw_walk(ground: Ground) -> RawWalk:
    """Return raw walks on a new connection under the app's role."""
    return RawWalk(await psycopg.AsyncConnection.connect(ground.access.app))
