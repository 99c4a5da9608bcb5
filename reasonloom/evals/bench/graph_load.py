"""Makes graphs of what `load` stores: mixed types, some edges a node, a chain a session, a hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg

from reasonloom.evals.bench.load import load

if TYPE_CHECKING:
    from reasonloom.evals.bench.environment import Ground

HUB = 1
"""The node that as many as HUB_EDGES others are a part of."""

HUB_EDGES = 50_000
NEIGHBOURHOOD = 1_024
"""An edge leads at most so many nodes back, so that walks stay among what is near in time."""

TYPES = """
UPDATE memories SET event_type = (ARRAY['decision', 'inference', 'skill', 'episode'])[1 + id %% 4]
WHERE owner = %(owner)s AND id %% 5 < 2
"""
EDGES = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT %(owner)s, id, id - 1 - (abs(hashint8(id * 7 + n)::bigint) %% %(back)s), (ARRAY['caused_by',
    'derived_from', 'supports', 'related_to'])[1 + abs(hashint8(id + n)::bigint) %% 4],
    0.3 + 0.7 * ((abs(hashint8(id * 3 + n)::bigint) %% 256) / 255.0), 'bench'
FROM generate_series(%(back)s + 2, %(size)s) id, generate_series(0, 1) n
ON CONFLICT DO NOTHING
"""
CHAINS = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT owner, earlier, id, 'temporal_next', 1, 'session' FROM (
    SELECT owner, id, lag(id) OVER (PARTITION BY session_id ORDER BY id) AS earlier
    FROM memories WHERE owner = %(owner)s) chained WHERE earlier IS NOT NULL
"""
OF_HUB = """
INSERT INTO edges (owner, source_id, target_id, type, weight, origin)
SELECT %(owner)s, id, %(hub)s, 'part_of', 0.5, 'bench'
FROM generate_series(%(hub)s + 1, least(%(size)s, %(hub)s + %(spokes)s)) id
ON CONFLICT DO NOTHING
"""


async def load_graph_of(ground: Ground, owner: str, size: int) -> None:
    """Store `size` nodes of `owner`, two edges each and a chain in time, and a hub."""
    await load(ground.database, ground.embedder, owner, size)
    values = {
        "owner": owner,
        "size": size,
        "back": min(NEIGHBOURHOOD, size // 2),
        "hub": HUB,
        "spokes": HUB_EDGES,
    }
    async with await psycopg.AsyncConnection.connect(ground.access.admin) as connection:
        for statement in (TYPES, EDGES, CHAINS, OF_HUB):
            await connection.execute(statement, values)
