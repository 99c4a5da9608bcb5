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
