"""Lays vectors out in few directions, so that dense places can be told from thin ones.

In 256 dimensions all distances are nearly the same and density says little. What is left is who
is near to whom: the graph of the nearest neighbours, weighted as UMAP does (McInnes, Healy and
Melville 2018), and the directions in which it changes least (Laplacian eigenmaps, Belkin and
Niyogi 2003), by a fixed number of steps of subspace iteration: bounded, the same for a seed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from sklearn.cluster import HDBSCAN

NEIGHBOURS = 15
MOST_DIRECTIONS = 32
STEPS, STEPS_TO_MEND = 30, 5
"""Steps of the iteration, and after how many of them the directions are made upright again."""

SHARPNESS = 2
"""A direction counts by its eigenvalue to this power, so that few memories need few directions."""

SPARE = 8
HALVINGS = 40
AT_ONCE = 500
"""Rows whose cosines with all others are held in memory at once."""

Floats = NDArray[np.float32]


def layout(vectors: Floats, *, seed: int) -> Floats:
    """Return vectors of length 1, shape (n, directions), for n x d of length 1; n is 4 or more."""
    count = len(vectors)
    places, cosines = _neighbours(vectors, min(NEIGHBOURS, count - 1) + 1)
    graph = _graph(places, np.maximum(0, 1 - cosines))
    most = min(MOST_DIRECTIONS, round(count**0.5), count - 2)
    directions = _directions(graph, _start(vectors, min(count, most + SPARE), seed), most)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    placed: Floats = (directions / np.maximum(lengths, 1e-12)).astype(np.float32)
    return placed


def _neighbours(vectors: Floats, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Return for each vector the `most` nearest, itself first, and their cosines."""
    places, cosines = [], []
    for start in range(0, len(vectors), AT_ONCE):
        rows = vectors[start : start + AT_ONCE] @ vectors.T
        rows[np.arange(len(rows)), np.arange(start, start + len(rows))] = 2  # itself, before twins
        near = np.argpartition(-rows, most - 1, axis=1)[:, :most]
        found = np.take_along_axis(rows, near, 1)
        order = np.argsort(-found, axis=1, kind="stable")
        places.append(np.take_along_axis(near, order, 1))
        cosines.append(np.minimum(np.take_along_axis(found, order, 1), 1))
    return np.concatenate(places), np.concatenate(cosines)


def _graph(places: NDArray[np.int64], distances: Floats) -> Any:
    """Return the symmetric weights: 1 for the nearest, falling by a width fit to each."""
    count, most = places.shape
    beyond = np.maximum(distances - distances[:, 1:2], 0)[:, 1:]
    low, high = np.zeros((count, 1)), np.full((count, 1), 10.0)
    for _ in range(HALVINGS):
        width = (low + high) / 2
        wide = np.exp(-beyond / width).sum(1, keepdims=True) > np.log2(most - 1)
        low, high = np.where(wide, low, width), np.where(wide, width, high)
    weights = np.exp(-beyond / ((low + high) / 2))
    rows = np.repeat(np.arange(count), most - 1)
    graph = csr_matrix((weights.ravel(), (rows, places[:, 1:].ravel())), shape=(count, count))
    return graph + graph.T - graph.multiply(graph.T)


def _start(vectors: Floats, most: int, seed: int) -> NDArray[np.float64]:
    """Return where the iteration begins: the vectors seen from random sides, so that a memory
    begins at the same place whatever others there are."""
    dice = np.random.default_rng(seed)
    sides = dice.standard_normal((vectors.shape[1], most))
    spread = 1e-3 * dice.standard_normal((len(vectors), most))
    return vectors @ sides + spread


def _directions(graph: Any, start: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return the directions in which the graph changes least, without the one that never does."""
    root = diags(1 / np.sqrt(np.maximum(np.asarray(graph.sum(1)).ravel(), 1e-12)))
    spread = csr_matrix(root @ graph @ root)
    held, _ = np.linalg.qr(start)
    for step in range(1, STEPS + 1):
        held = (held + spread @ held) / 2
        if step % STEPS_TO_MEND == 0:
            held, _ = np.linalg.qr(held)
    values, turned = np.linalg.eigh(held.T @ (spread @ held))
    order = np.argsort(-values, kind="stable")
    weights = np.maximum(values[order], 0) ** SHARPNESS
    directions: NDArray[np.float64] = (held @ turned[:, order] * weights)[:, 1 : most + 1]
    return directions


# Campello, Moulavi and Sander (2013); the code is scikit-learn's, which is an extra: where it is
# not installed `MISSING` is said. See docs/decisions/0019-clusters-by-density.md.

LEAST = 5
"""Memories of the smallest cluster."""

SAMPLES = 3
"""How many neighbours make a place dense."""

ALL_ALIKE = 0.6
"""The mean likeness of any two memories from which on all together are one cluster; likeness is
(cosine - floor) / (1 - floor), with the embedder's floor."""

NOISE = -1
Labels = NDArray[np.int64]


def density_clusters(vectors: Floats, *, floor: float, seed: int) -> tuple[Labels, Floats]:
    """Return for each vector of length 1 its cluster, -1 for none, and how much it is in it, 0..1.

    Vectors that are the same stand together. A cluster holds `LEAST` memories or more, and two of
    them are on average more alike than unrelated texts are (`floor`) and than all are.
    """
    count = len(vectors)
    if count < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    overall = mean_cosine(vectors)
    if overall - floor >= ALL_ALIKE * (1 - floor):
        return np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.float32)
    stand, back = _limit_duplicates(vectors)
    if len(stand) < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    placed = layout(vectors[stand], seed=seed)
    found = HDBSCAN(min_cluster_size=LEAST, min_samples=SAMPLES, copy=True).fit(placed)
    labels = found.labels_.astype(np.int64)[back]
    strengths = found.probabilities_.astype(np.float32)[back]
    return _meaningful(vectors, labels, strengths, least=max(floor, overall))


def mean_cosine(vectors: Floats) -> float:
    """Return the mean cosine of two different vectors of length 1."""
    count = len(vectors)
    if count < 2:  # noqa: PLR2004 - a pair
        return 1.0
    length = float(np.linalg.norm(vectors.mean(axis=0, dtype=np.float64)))
    return (count * length**2 - 1) / (count - 1)


def _limit_duplicates(vectors: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
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
        if mean_cosine(vectors[inside]) > least:
            kept[inside] = number
            number += 1
    return kept, np.where(kept == NOISE, np.float32(0), strengths)
