"""The middle of a cluster, how close its members are to it, and who may join."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Shape:
    """A cluster in the space of vectors.

    Attributes:
        centroid: the mean of the members' vectors, of length 1.
        coherence: the mean cosine of the members to it.
        bound: the least cosine to it by which another memory joins: half of the members are as
            near to the middle of all others, and never less than the embedder's floor.
    """

    centroid: Floats
    coherence: float
    bound: float


def shape_of(vectors: Floats, floor: float) -> Shape:
    """Return the shape of a cluster of vectors of length 1."""
    total = vectors.sum(axis=0, dtype=np.float64)
    centroid = total / max(float(np.linalg.norm(total)), 1e-12)
    rest = total - vectors
    lengths = np.maximum(np.linalg.norm(rest, axis=1), 1e-12)
    apart = (vectors * rest).sum(axis=1) / lengths
    return Shape(
        centroid.astype(np.float32),
        float(np.clip((vectors @ centroid).mean(), 0, 1)),
        float(np.clip(np.median(apart), floor, 1)),
    )


@dataclass(frozen=True, slots=True)
class Joiner:
    """Puts memories into the nearest of some clusters, where they are near enough."""

    centroids: Floats
    coherences: Floats
    bounds: Floats

    @classmethod
    def of(cls, shapes: list[Shape]) -> Joiner:
        """Return what joins memories to clusters of these shapes; there is one or more."""
        return cls(
            np.stack([each.centroid for each in shapes]),
            np.array([each.coherence for each in shapes], dtype=np.float32),
            np.array([each.bound for each in shapes], dtype=np.float32),
        )

    def place(self, vectors: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return for each vector its cluster, -1 for none, and its strength there, 0..1.

        The strength is its cosine by the cluster's coherence: 1 for one as near as they are.
        """
        cosines = vectors @ self.centroids.T
        near = cosines.argmax(axis=1)
        best = cosines[np.arange(len(vectors)), near]
        near_enough = best >= self.bounds[near]
        strength = np.clip(best / np.maximum(self.coherences[near], 1e-6), 0, 1)
        return np.where(near_enough, near, -1), np.where(near_enough, strength, np.float32(0))
