"""Floors of `recall` and `memory_traverse`: hand-written queries on their own connections.

The floor of `recall` embeds its question and makes one vector and one text query: the ten nearest,
by the owner's own index if there is one, and the ten ranked highest of all that contain any of the
words. The floor of `memory_traverse` walks all paths of at most five edges, with the best worth of
each node, and returns the twenty best with contents: without visited set, hub limit, or the edges
between.
"""

import time
from dataclasses import dataclass, field
from typing import Any

import psycopg
from psycopg import sql

from reasonloom.evals.bench.environment import BenchEngine
from reasonloom.stores.memory.reindex import LARGEST_ID
from reasonloom.stores.vector_indexes import OUTGROWN
from reasonloom.stores.vectors import index_of

BIND_RAW = (
    "SELECT set_config('app.owner', %s, true), set_config('app.space', '', true), "
    "set_config('enable_seqscan', 'off', true), "
    "set_config('max_parallel_workers_per_gather', '0', true)"
)
NEAREST = """
SELECT memory_id FROM embeddings WHERE owner = %s AND model = %s AND sectors & 2 <> 0
ORDER BY (embedding <=> %s::halfvec) + 0 LIMIT 10
"""
LAST = "SELECT relname FROM pg_class WHERE starts_with(relname::text, %s) ORDER BY oid LIMIT 1"
NEAREST_BY_INDEX = """
SELECT memory_id FROM embeddings WHERE owner = {owner} AND model = {model} AND memory_id <= {last}
    AND sectors & 2 <> 0
ORDER BY embedding::halfvec({size}) <=> {vector}::halfvec({size}) LIMIT 10
"""
WORDS = """
SELECT id FROM memories, to_tsquery('english', %s) AS asked WHERE owner = %s AND words @@ asked
ORDER BY ts_rank(words, asked) DESC LIMIT 10
"""


@dataclass
class RawQueries:
    """Hand-written recall queries on their own connection, and the seconds of each kind."""

    ground: BenchEngine
    connection: psycopg.AsyncConnection[Any]
    seconds: dict[str, float] = field(default_factory=lambda: {"vector": 0.0, "text": 0.0})
    last: dict[str, int] = field(default_factory=dict)
    """The last memory in an owner's index; later ones are not searched."""

    async def ask(self, owner: str, question: str, *, memories: int) -> None:
        """Embed a question and run both queries."""
        vector = str((await self.ground.embedder.embed([question]))[0])
        async with self.connection.transaction():
            await self.connection.execute(BIND_RAW, (owner,))
            await self._look(owner, memories)
            started = time.perf_counter()
            await self._nearest(owner, vector, memories)
            between = time.perf_counter()
            words = " | ".join(question.rstrip("?").split())
            await self.connection.execute(WORDS, (words, owner))
            self.seconds["vector"] += between - started
            self.seconds["text"] += time.perf_counter() - between

    async def _look(self, owner: str, memories: int) -> None:
        if memories < OUTGROWN or owner in self.last:
            return
        named = index_of(owner, self.ground.embedder.model)
        name = await (await self.connection.execute(LAST, (named,))).fetchone()
        self.last[owner] = int(name[0][len(named) + 1 :] or LARGEST_ID) if name else LARGEST_ID

    async def _nearest(self, owner: str, vector: str, memories: int) -> None:
        embedder = self.ground.embedder
        if memories < OUTGROWN:
            await self.connection.execute(NEAREST, (owner, embedder.model, vector))
            return
        query = sql.SQL(NEAREST_BY_INDEX).format(
            owner=sql.Literal(owner),
            model=sql.Literal(embedder.model),
            last=sql.Literal(self.last[owner]),
            size=sql.Literal(embedder.dimension),
            vector=sql.Literal(vector),
        )
        await self.connection.execute(query)


async def open_raw_queries(ground: BenchEngine) -> RawQueries:
    """Open raw queries on a new connection under the app's role, without prepared plans."""
    connection = await psycopg.AsyncConnection.connect(ground.access.app, prepare_threshold=None)
    return RawQueries(ground, connection)


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


async def walk_raw(connection: psycopg.AsyncConnection[Any], owner: str, start: int) -> int:
    """Walk from a node by the hand-written query; return the number of nodes found."""
    async with connection.transaction():
        await connection.execute(BIND, (owner,))
        cursor = await connection.execute(WALK, {"owner": owner, "start": start})
        return len(await cursor.fetchall())
