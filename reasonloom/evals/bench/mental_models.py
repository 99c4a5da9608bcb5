"""Times the mental model tools against hand-written queries, and clustering into basins."""

import asyncio
import io
import random
import resource
import sys
import time
from itertools import count
from typing import Any
from uuid import UUID, uuid4

import numpy as np
import psycopg
from psycopg.types.json import Jsonb

from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.environment import OWNER, BenchEngine
from reasonloom.evals.bench.floors import BIND
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.timing import Figure, Work, summarise, time_alternately
from reasonloom.nodes.mental_models.basins.formation import form_basins, persist_basins
from reasonloom.nodes.mental_models.basins.membership import SAMPLE, SEED
from reasonloom.stores.mental_models import basin_memories

BASINS, MODELS = 50, 100
OBSERVED = "floor: its queries by hand, with a write's run row; the original's {original} ms"
TEMPLATES = [{"trigger": "user mentions work stress", "predict": "p", "suggest": "s"}]
BASIN = (
    "INSERT INTO basins (owner, id, name, named_by, centroid, model, coherence)"
    " VALUES (%s, %s, 'b', 'words', '[1,2]', 'm', 0.5)"
)
MADE = "INSERT INTO models (owner, id, name, domain, status) VALUES (%s, %s, %s, 'user', 'active')"
PUT = "INSERT INTO model_basins VALUES (%s, %s, %s, %s)"
KNOWN = "SELECT id FROM basins WHERE owner = %s AND id = ANY(%s)"
RAN = (
    "INSERT INTO runs (owner, id, tool, graph, graph_version, status, input, output, latency_ms,"
    " finished_at) VALUES (%s, %s, %s, %s, 1, 'done', %s, %s, 1, now())"
)
"""The row of a run, committed with its writes; those of reads are written in batches."""


async def measure_models(ground: BenchEngine, times: int) -> list[Figure]:
    """Create basins and models, then time each tool alternately with its floor."""
    async with (
        await psycopg.AsyncConnection.connect(ground.access.admin, autocommit=True) as admin,
        await psycopg.AsyncConnection.connect(ground.access.app) as app,
    ):
        await admin.execute("SET search_path = reasonloom")
        basins = [uuid4() for _ in range(BASINS)]
        for basin in basins:
            await admin.execute(BASIN, (OWNER, basin))
        bench = _Bench(ground, app, basins)
        calls: tuple[tuple[str, float, Work, Work], ...] = (
            ("get_model, 2 basins, 1 template", 0.2, bench.get, bench.raw_get),
            (f"list_models, {MODELS} models", 0.5, bench.list_, bench.raw_list),
            ("create_model, 2 basins", 0.75, bench.create, bench.raw_create),
            ("revise_model, 1 basin", 1.0, bench.revise, bench.raw_revise),
        )
        return [await bench.figure(*each, times) for each in calls]


class _Bench:
    """The timed calls, and the same work by hand."""

    def __init__(
        self, ground: BenchEngine, app: psycopg.AsyncConnection[Any], basins: list[UUID]
    ) -> None:
        self.ground, self.app, self.basins = ground, app, basins
        self.numbers = count()
        self.model = ""
        self.turn = 0

    async def figure(
        self, name: str, original: float, work: Work, floor: Work, times: int
    ) -> Figure:
        """Time a call against its floor, with MODELS or more models stored."""
        while next(self.numbers) < MODELS:
            self.model = await self.create()
        below, own = await time_alternately(floor, work, times)
        return summarise(name, own, below, note=OBSERVED.format(original=original))

    async def create(self) -> str:
        outcome = await self.ground.call(
            "create_model", name=f"m{uuid4()}", domain="user", prediction_templates=TEMPLATES,
            basin_ids=[str(each) for each in self.basins[:2]],
        )  # fmt: skip
        return str(outcome.answer["model_id"])

    async def get(self) -> None:
        await self.ground.call("get_model", model_id=self.model)

    async def list_(self) -> None:
        await self.ground.call("list_models", limit=20)

    async def revise(self) -> None:
        self.turn += 1
        change = "add_basins" if self.turn % 2 else "remove_basins"
        given: dict[str, Any] = {change: [str(self.basins[2])]}
        await self.ground.call(
            "revise_model", model_id=self.model, trigger_description="t", **given
        )

    async def raw_get(self) -> None:
        keys = {"models": "id", "model_basins": "model", "model_templates": "model"}
        async with self.app.transaction():
            await self.app.execute(BIND, (OWNER,))
            for table, key in keys.items():
                query = f"SELECT * FROM {table} WHERE owner = %s AND {key} = %s"  # noqa: S608 - names above
                cursor = await self.app.execute(query.encode(), (OWNER, self.model))
                await cursor.fetchall()

    async def raw_list(self) -> None:
        async with self.app.transaction():
            await self.app.execute(BIND, (OWNER,))
            cursor = await self.app.execute(
                "SELECT m.*, (SELECT count(*) FROM model_basins b WHERE b.owner = m.owner"
                " AND b.model = m.id), count(*) OVER () FROM models m WHERE owner = %s"
                " ORDER BY created_at DESC LIMIT 20",
                (OWNER,),
            )
            await cursor.fetchall()

    async def raw_create(self) -> None:
        model = uuid4()
        async with self.app.transaction():
            await self.app.execute(BIND, (OWNER,))
            await self.app.execute(KNOWN, (OWNER, self.basins[:2]))
            await self.app.execute(MADE, (OWNER, model, f"raw{model}"))
            for place, basin in enumerate(self.basins[:2], 1):
                await self.app.execute(PUT, (OWNER, model, basin, place))
            await self.app.execute(
                "INSERT INTO model_templates VALUES (%s, %s, 1, 't', 'p', 's')", (OWNER, model)
            )
            await self._ran("create_model", model)

    async def raw_revise(self) -> None:
        basin = self.basins[3]
        async with self.app.transaction():
            await self.app.execute(BIND, (OWNER,))
            await self.app.execute(
                "SELECT FROM models WHERE owner = %s AND id = %s FOR UPDATE", (OWNER, self.model)
            )
            await self.app.execute(KNOWN, (OWNER, [basin]))
            await self.app.execute(PUT + " ON CONFLICT DO NOTHING", (OWNER, self.model, basin, 9))
            await self.app.execute(
                "UPDATE models SET updated_at = now() WHERE owner = %s AND id = %s",
                (OWNER, self.model),
            )
            await self.app.execute(
                "DELETE FROM model_basins WHERE owner = %s AND model = %s AND basin = %s",
                (OWNER, self.model, basin),
            )
            await self._ran("revise_model", uuid4())

    async def _ran(self, tool: str, run: UUID) -> None:
        given = Jsonb({"name": "m", "domain": "user", "basin_ids": [str(self.basins[0])]})
        output = Jsonb({"success": True, "model_id": str(run), "message": "Model 'm' created"})
        await self.app.execute(RAN, (OWNER, run, tool, tool, given, output))


LIBRARY_SCRIPT = """
import io, sys, time
import numpy as np
from sklearn.cluster import HDBSCAN
from reasonloom.nodes.mental_models.basins.clustering import LEAST, SAMPLES
from reasonloom.nodes.mental_models.basins.clustering import layout
given = np.load(io.BytesIO(sys.stdin.buffer.read()))
placed = layout(given, seed={seed})
began = time.perf_counter()
HDBSCAN(min_cluster_size=LEAST, min_samples=SAMPLES, copy=True).fit(placed)
print(time.perf_counter() - began)
"""
MEGABYTE = 1024


async def measure_basins(ground: BenchEngine, sizes: list[int]) -> list[Figure]:
    """Return the time of forming and persisting basins, for each number of memories.

    The floor clusters the same sample in the same kind of process: scikit-learn's HDBSCAN on a
    prepared layout. Peak memory is that of the child, and of this process.
    """
    return [await _formed(ground, size) for size in sizes]


async def _formed(ground: BenchEngine, size: int) -> Figure:
    owner = Caller(f"basins {size}")
    loom = ground.engine.loom
    await load(ground.database, ground.embedder, owner.owner, size)
    began = time.perf_counter()
    formed = await form_basins(loom, owner, loom.clock())
    async with loom.database.begin(owner) as tx:
        await persist_basins(tx, formed)
    seconds = time.perf_counter() - began
    child, own = (
        resource.getrusage(who).ru_maxrss // MEGABYTE
        for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    floor = await _alone(ground, owner)
    note = (
        f"{len(formed.basins):,} basins, {formed.sampled:,} clustered, {formed.alone:,} alone; "
        f"peak {child:,} MB in the child, {own:,} MB here; floor: the library alone"
    )
    times = seconds * 1000
    return Figure(f"basins of {size:,} memories", times, times, floor * 1000, said=note)


async def _alone(ground: BenchEngine, owner: Caller) -> float:
    """Return the seconds that the library takes for the vectors of the same sample."""
    model = ground.engine.loom.embedder.model
    async with ground.database.begin(owner, searching=True) as tx:
        ids = await basin_memories.embedded_ids(tx, model)
        chosen = ids if len(ids) <= SAMPLE else sorted(random.Random(SEED).sample(ids, SAMPLE))  # noqa: S311 - a benchmark, no secret
        _, vectors = await basin_memories.vectors(tx, model, chosen)
    sent = io.BytesIO()
    np.save(sent, vectors)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", LIBRARY_SCRIPT.format(seed=SEED),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    received, _ = await child.communicate(sent.getvalue())
    return float(received)
