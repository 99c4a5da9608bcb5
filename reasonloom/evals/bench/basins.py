"""How long clustering takes and how much memory, beside the library alone on the same vectors.

The floor clusters the same sample in the same kind of process: scikit-learn's HDBSCAN on the
layout that was made before. Peak memory is that of the child, and of this process.
"""

from __future__ import annotations

import asyncio
import io
import random
import resource
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from reasonloom.contracts.caller import Caller
from reasonloom.evals.bench.load import load
from reasonloom.evals.bench.timing import Figure
from reasonloom.nodes.mental_models.basins.clusters import SAMPLE, SEED
from reasonloom.nodes.mental_models.basins.formation import form, keep
from reasonloom.stores.mental_models import basin_memories

if TYPE_CHECKING:
    from reasonloom.evals.bench.environment import Ground

ALONE = """
import io, sys, time
import numpy as np
from sklearn.cluster import HDBSCAN
from reasonloom.nodes.mental_models.basins.basins_density import LEAST, SAMPLES
from reasonloom.nodes.mental_models.basins.density import layout
given = np.load(io.BytesIO(sys.stdin.buffer.read()))
placed = layout(given, seed={seed})
began = time.perf_counter()
HDBSCAN(min_cluster_size=LEAST, min_samples=SAMPLES, copy=True).fit(placed)
print(time.perf_counter() - began)
"""
MEGABYTE = 1024


async def measure(ground: Ground, sizes: list[int]) -> list[Figure]:
    """Return for each number of memories the time of forming and keeping their basins."""
    return [await _formed(ground, size) for size in sizes]


async def _formed(ground: Ground, size: int) -> Figure:
    owner = Caller(f"basins {size}")
    loom = ground.engine.loom
    await load(ground.database, ground.embedder, owner.owner, size)
    began = time.perf_counter()
    formed = await form(loom, owner, loom.clock())
    async with loom.database.begin(owner) as tx:
        await keep(tx, formed)
    seconds = time.perf_counter() - began
    child, own = (
        resource.getrusage(who).ru_maxrss // MEGABYTE
        for who in (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF)
    )
    floor = await _alone(ground, owner)
    said = (
        f"{len(formed.basins):,} basins, {formed.sampled:,} clustered, {formed.alone:,} alone; "
        f"peak {child:,} MB in the child, {own:,} MB here; floor: the library alone"
    )
    times = seconds * 1000
    return Figure(f"basins of {size:,} memories", times, times, floor * 1000, said=said)


async def _alone(ground: Ground, owner: Caller) -> float:
    """Return the seconds that the library takes for the vectors of the same sample."""
    model = ground.engine.loom.embedder.model
    async with ground.database.begin(owner, searching=True) as tx:
        ids = await basin_memories.embedded_ids(tx, model)
        chosen = ids if len(ids) <= SAMPLE else sorted(random.Random(SEED).sample(ids, SAMPLE))  # noqa: S311 - a benchmark, no secret
        _, vectors = await basin_memories.vectors(tx, model, chosen)
    sent = io.BytesIO()
    np.save(sent, vectors)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", ALONE.format(seed=SEED),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    received, _ = await child.communicate(sent.getvalue())
    return float(received)
