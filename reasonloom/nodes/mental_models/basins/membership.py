"""Clusters an owner's memories: a sample by density, the rest by the nearest cluster."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from reasonloom.contracts.caller import Caller
from reasonloom.nodes.execution import Loom
from reasonloom.nodes.mental_models.basins.cluster_process import cluster_in_subprocess
from reasonloom.stores.mental_models import basin_memories
from reasonloom.stores.mental_models.basins import Basin

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """A cluster in the vector space.

    Attributes:
        centroid: the mean of the members' vectors, normalised to length 1.
        coherence: the mean cosine of the members to the centroid.
        bound: the minimum cosine to the centroid for a memory to join: the median of the members'
            cosines to the mean of the other members, at least the embedder's floor.
    """

    centroid: Floats
    coherence: float
    bound: float


def shape_of(vectors: Floats, floor: float) -> Shape:
    """Return the shape of a cluster of unit vectors."""
    total = vectors.sum(axis=0, dtype=np.float64)
    centroid = total / max(float(np.linalg.norm(total)), 1e-12)
    rest = total - vectors
    lengths = np.maximum(np.linalg.norm(rest, axis=1), 1e-12)
    cosines = (vectors * rest).sum(axis=1) / lengths
    return Shape(
        centroid.astype(np.float32),
        float(np.clip((vectors @ centroid).mean(), 0, 1)),
        float(np.clip(np.median(cosines), floor, 1)),
    )


@dataclass(frozen=True, slots=True)
class Joiner:
    """Assigns memories to the nearest cluster within its bound."""

    centroids: Floats
    coherences: Floats
    bounds: Floats

    @classmethod
    def of(cls, shapes: Sequence[Shape | Basin]) -> Joiner:
        """Build a joiner for one or more cluster shapes."""
        return cls(
            np.stack([each.centroid for each in shapes]),
            np.array([each.coherence for each in shapes], dtype=np.float32),
            np.array([each.bound for each in shapes], dtype=np.float32),
        )

    def place(self, vectors: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return the cluster of each vector, -1 for none, and its strength, 0..1.

        The strength is cosine / coherence: 1 if the memory is as close as the average member.
        """
        cosines = vectors @ self.centroids.T
        near = cosines.argmax(axis=1)
        best = cosines[np.arange(len(vectors)), near]
        near_enough = best >= self.bounds[near]
        strength = np.clip(best / np.maximum(self.coherences[near], 1e-6), 0, 1)
        return np.where(near_enough, near, -1), np.where(near_enough, strength, np.float32(0))


SEED = 7
SAMPLE = 20_000
"""Maximum memories clustered by density; if there are more, a random sample is taken."""

BATCH = 2_000


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster: its shape, and its members with strengths, 0..1."""

    shape: Shape
    members: dict[int, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ClusterSet:
    """The clusters of the memories `ids`, and how many memories were clustered by density."""

    clusters: list[Cluster]
    ids: list[int]
    sampled: int

    @property
    def alone(self) -> list[int]:
        """The memories in no cluster."""
        inside = {memory for cluster in self.clusters for memory in cluster.members}
        return [memory for memory in self.ids if memory not in inside]


async def find_clusters(loom: Loom, caller: Caller, *, sample: int) -> ClusterSet:
    """Cluster the memories in the caller's space.

    Raises:
        SettingMistake: scikit-learn is not installed.
    """
    model, floor = loom.embedder.model, loom.embedder.floor
    async with loom.database.begin(caller, searching=True) as tx:
        ids = await basin_memories.embedded_ids(tx, model)
    chosen = ids if len(ids) <= sample else sorted(random.Random(SEED).sample(ids, sample))  # noqa: S311 - a sample, no secret
    known, vectors = await _vectors(loom, caller, chosen)
    if not known:
        return ClusterSet([], ids, 0)
    labels, strengths = await cluster_in_subprocess(vectors, floor=floor, seed=SEED)
    clusters: list[Cluster] = []
    for label in range(int(labels.max(initial=-1)) + 1):
        inside = np.flatnonzero(labels == label)
        members = {known[place]: float(strengths[place]) for place in inside}
        clusters.append(Cluster(shape_of(vectors[inside], floor), members))
    every = ClusterSet(clusters, ids, len(known))
    await _join_rest(loom, caller, every)
    return every


async def _join_rest(loom: Loom, caller: Caller, found: ClusterSet) -> None:
    """Assign each memory without a cluster to the nearest one within its bound."""
    if not found.clusters:
        return
    joiner = Joiner.of([cluster.shape for cluster in found.clusters])
    async for known, vectors in vector_batches(loom, caller, found.alone):
        places, strengths = joiner.place(vectors)
        for memory, place, strength in zip(known, places, strengths, strict=True):
            if place >= 0:
                found.clusters[place].members[memory] = float(strength)


async def _vectors(loom: Loom, caller: Caller, ids: Sequence[int]) -> tuple[list[int], Floats]:
    known: list[int] = []
    parts: list[Floats] = []
    async for some, vectors in vector_batches(loom, caller, ids):
        known += some
        parts.append(vectors)
    return known, np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)


async def vector_batches(
    loom: Loom, caller: Caller, ids: Sequence[int]
) -> AsyncIterator[tuple[list[int], Floats]]:
    """Yield the ids that have vectors, with their unit vectors, in batches of `BATCH`."""
    for start in range(0, len(ids), BATCH):
        some = ids[start : start + BATCH]
        async with loom.database.begin(caller, searching=True) as tx:
            known, vectors = await basin_memories.vectors(tx, loom.embedder.model, some)
        if known:
            yield known, vectors
