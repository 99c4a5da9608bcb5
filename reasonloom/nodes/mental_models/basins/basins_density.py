"""Finds clusters in vectors by density: HDBSCAN on a layout of them.

Campello, Moulavi and Sander (2013); the code is scikit-learn's, which is an extra: where it is
not installed `MISSING` is said. See docs/decisions/0019-clusters-by-density.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import HDBSCAN

from reasonloom.nodes.mental_models.basins.density import Floats, layout

LEAST = 5
"""Memories of the smallest cluster."""

SAMPLES = 3
"""How many neighbours make a place dense."""

ALL_ALIKE = 0.6
"""The mean likeness of any two memories from which on all together are one cluster; likeness is
(cosine - floor) / (1 - floor), with the embedder's floor."""

NOISE = -1
Labels = NDArray[np.int64]


def clusters(vectors: Floats, *, floor: float, seed: int) -> tuple[Labels, Floats]:
    """Return for each vector of length 1 its cluster, -1 for none, and how much it is in it, 0..1.

    Vectors that are the same stand together. A cluster holds `LEAST` memories or more, and two of
    them are on average more alike than unrelated texts are (`floor`) and than all are.
    """
    count = len(vectors)
    if count < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    overall = pairwise(vectors)
    if overall - floor >= ALL_ALIKE * (1 - floor):
        return np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.float32)
    stand, back = _twins_apart(vectors)
    if len(stand) < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    placed = layout(vectors[stand], seed=seed)
    found = HDBSCAN(min_cluster_size=LEAST, min_samples=SAMPLES, copy=True).fit(placed)
    labels = found.labels_.astype(np.int64)[back]
    strengths = found.probabilities_.astype(np.float32)[back]
    return _meaningful(vectors, labels, strengths, least=max(floor, overall))


def pairwise(vectors: Floats) -> float:
    """Return the mean cosine of two different vectors of length 1."""
    count = len(vectors)
    if count < 2:  # noqa: PLR2004 - a pair
        return 1.0
    length = float(np.linalg.norm(vectors.mean(axis=0, dtype=np.float64)))
    return (count * length**2 - 1) / (count - 1)


def _twins_apart(vectors: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the places of at most `LEAST` of each vector, and for every vector one of those."""
    _, kind = np.unique(vectors.astype(np.float16), axis=0, return_inverse=True)
    kept: dict[int, list[int]] = {}
    stand: list[int] = []
    back = np.empty(len(vectors), dtype=np.int64)
    for place, each in enumerate(kind.ravel().tolist()):
        group = kept.setdefault(each, [])
        if len(group) < LEAST:
            group.append(len(stand))
            stand.append(place)
            back[place] = group[-1]
        else:
            back[place] = group[0]
    return np.array(stand, dtype=np.int64), back


def _meaningful(
    vectors: Floats, labels: Labels, strengths: Floats, *, least: float
) -> tuple[Labels, Floats]:
    """Leave out clusters whose members are no more alike than any memories, and number the rest."""
    kept = np.full(len(labels), NOISE)
    number = 0
    for label in range(int(labels.max(initial=NOISE)) + 1):
        inside = labels == label
        if pairwise(vectors[inside]) > least:
            kept[inside] = number
            number += 1
    return kept, np.where(kept == NOISE, np.float32(0), strengths)
