"""Finds the clusters of an owner's memories: some thousands by density, the rest by nearness."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from reasonloom.nodes.mental_models.basins.cluster_process import cluster_apart
from reasonloom.nodes.mental_models.basins.shapes import Floats, Joiner, Shape, shape_of
from reasonloom.stores.mental_models import basin_memories

if TYPE_CHECKING:
    from reasonloom.contracts.caller import Caller
    from reasonloom.nodes.loom import Loom

SEED = 7
SAMPLE = 20_000
"""Memories that are clustered by density; of more a sample is, drawn by the seed."""

BATCH = 2_000
Tell = Callable[[int, int | None], None]


def untold(done: int, total: int | None) -> None:
    """Tell nobody how far it is."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster: its shape and its members with their strengths, 0..1."""

    shape: Shape
    members: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The clusters of all memories; those of none, and how many were clustered by density."""

    clusters: list[Cluster]
    ids: list[int]
    sampled: int

    @property
    def alone(self) -> list[int]:
        """The memories that belong to no cluster."""
        inside = {memory for cluster in self.clusters for memory in cluster.members}
        return [memory for memory in self.ids if memory not in inside]


async def gather(
    loom: Loom, caller: Caller, *, sample: int = SAMPLE, tell: Tell = untold
) -> Gathered:
    """Return the clusters of what the caller's space holds now.

    Raises:
        SettingMistake: the library that clusters is not installed.
    """
    model, floor = loom.embedder.model, loom.embedder.floor
    async with loom.database.begin(caller, searching=True) as tx:
        ids = await basin_memories.embedded_ids(tx, model)
    chosen = ids if len(ids) <= sample else sorted(random.Random(SEED).sample(ids, sample))  # noqa: S311 - a sample, no secret
    tell(0, len(ids))
    known, vectors = await _vectors(loom, caller, chosen)
    if not known:
        return Gathered([], ids, 0)
    found = await cluster_apart(vectors, floor=floor, seed=SEED)
    clusters: list[Cluster] = []
    for label in range(int(found.labels.max(initial=-1)) + 1):
        inside = np.flatnonzero(found.labels == label)
        members = {known[place]: float(found.strengths[place]) for place in inside}
        clusters.append(Cluster(shape_of(vectors[inside], floor), members))
    tell(len(known), len(ids))
    await _join_rest(loom, caller, ids, clusters, tell)
    return Gathered(clusters, ids, len(known))


async def _join_rest(
    loom: Loom, caller: Caller, ids: Sequence[int], clusters: Sequence[Cluster], tell: Tell
) -> None:
    """Put every memory without a cluster into the nearest, where it is near enough."""
    if not clusters:
        return
    inside = {memory for cluster in clusters for memory in cluster.members}
    rest = [memory for memory in ids if memory not in inside]
    joiner = Joiner.of([cluster.shape for cluster in clusters])
    done = len(ids) - len(rest)
    async for known, vectors in batches(loom, caller, rest):
        places, strengths = joiner.place(vectors)
        for memory, place, strength in zip(known, places, strengths, strict=True):
            if place >= 0:
                clusters[place].members[memory] = float(strength)
        done += len(known)
        tell(done, len(ids))


async def _vectors(loom: Loom, caller: Caller, ids: Sequence[int]) -> tuple[list[int], Floats]:
    known: list[int] = []
    parts: list[Floats] = []
    async for some, vectors in batches(loom, caller, ids):
        known += some
        parts.append(vectors)
    return known, np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


async def batches(
    loom: Loom, caller: Caller, ids: Sequence[int]
) -> AsyncIterator[tuple[list[int], Floats]]:
    """Yield ids that are there with their vectors of length 1, some thousands at a time."""
    for some in _cut(ids, BATCH):
        async with loom.database.begin(caller, searching=True) as tx:
            known, vectors = await basin_memories.vectors(tx, loom.embedder.model, some)
        if known:
            yield known, vectors


def _cut(ids: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
