"""Clusters vectors by density: HDBSCAN on a low-dimensional spectral embedding.

In 256 dimensions all distances are similar and density is uninformative. The layout uses the graph
of nearest neighbours instead, weighted as in UMAP (McInnes, Healy and Melville 2018), and its
smoothest eigenvectors (Laplacian eigenmaps, Belkin and Niyogi 2003). A fixed number of subspace
iterations makes it bounded in time and deterministic for a seed.

HDBSCAN (Campello, Moulavi and Sander 2013) is that of scikit-learn, an optional dependency; without
it, `cluster_process.MISSING` is raised. See docs/decisions/0019-clusters-by-density.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags
from sklearn.cluster import HDBSCAN

NEIGHBOURS = 15
MOST_DIRECTIONS = 32
STEPS, STEPS_TO_MEND = 30, 5
"""Number of iterations, and how many pass before the basis is orthonormalised again."""

SHARPNESS = 2
"""Exponent of the eigenvalue that weights a direction."""

SPARE = 8
HALVINGS = 40
AT_ONCE = 500
"""Rows whose cosines with all others are held in memory at once."""

Floats = NDArray[np.float32]


def layout(vectors: Floats, *, seed: int) -> Floats:
    """Embed unit vectors (n, d) as unit vectors (n, directions); n is at least 4."""
    count = len(vectors)
    places, cosines = _neighbours(vectors, min(NEIGHBOURS, count - 1) + 1)
    graph = _graph(places, np.maximum(0, 1 - cosines))
    most = min(MOST_DIRECTIONS, round(count**0.5), count - 2)
    directions = _directions(graph, _start(vectors, min(count, most + SPARE), seed), most)
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    placed: Floats = (directions / np.maximum(lengths, 1e-12)).astype(np.float32)
    return placed


def _neighbours(vectors: Floats, most: int) -> tuple[NDArray[np.int64], Floats]:
    """Return the `most` nearest neighbours of each vector, itself first, and their cosines."""
    places, cosines = [], []
    for start in range(0, len(vectors), AT_ONCE):
        rows = vectors[start : start + AT_ONCE] @ vectors.T
        rows[np.arange(len(rows)), np.arange(start, start + len(rows))] = 2  # itself comes first
        near = np.argpartition(-rows, most - 1, axis=1)[:, :most]
        found = np.take_along_axis(rows, near, 1)
        order = np.argsort(-found, axis=1, kind="stable")
        places.append(np.take_along_axis(near, order, 1))
        cosines.append(np.minimum(np.take_along_axis(found, order, 1), 1))
    return np.concatenate(places), np.concatenate(cosines)


def _graph(places: NDArray[np.int64], distances: Floats) -> Any:
    """Return symmetric weights: 1 for the nearest, decaying by a width fitted to each vector."""
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
    """Return random projections, each independent of the other vectors, plus slight noise."""
    dice = np.random.default_rng(seed)
    sides = dice.standard_normal((vectors.shape[1], most))
    spread = 1e-3 * dice.standard_normal((len(vectors), most))
    return vectors @ sides + spread


def _directions(graph: Any, start: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return the smoothest eigenvectors of the graph, without the constant one."""
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


LEAST = 5
"""Minimum number of members in a cluster."""

SAMPLES = 3
"""Number of neighbours that make a point a core point."""

ALL_ALIKE = 0.6
"""Mean similarity of all pairs from which all memories form a single cluster. Similarity is
(cosine - floor) / (1 - floor), with the embedder's floor."""

NOISE = -1
Labels = NDArray[np.int64]


def density_clusters(vectors: Floats, *, floor: float, seed: int) -> tuple[Labels, Floats]:
    """Return the cluster of each unit vector, -1 for none, and its membership strength, 0..1.

    A cluster has at least `LEAST` members, and their mean cosine exceeds both that of unrelated
    texts (`floor`) and that of all vectors. Equal vectors share a cluster.
    """
    count = len(vectors)
    if count < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    overall = mean_cosine(vectors)
    if overall - floor >= ALL_ALIKE * (1 - floor):
        return np.zeros(count, dtype=np.int64), np.ones(count, dtype=np.float32)
    places, back = _limit_duplicates(vectors)
    if len(places) < LEAST:
        return np.full(count, NOISE), np.zeros(count, dtype=np.float32)
    placed = layout(vectors[places], seed=seed)
    found = HDBSCAN(min_cluster_size=LEAST, min_samples=SAMPLES, copy=True).fit(placed)
    labels = found.labels_.astype(np.int64)[back]
    strengths = found.probabilities_.astype(np.float32)[back]
    return _meaningful(vectors, labels, strengths, least=max(floor, overall))


def mean_cosine(vectors: Floats) -> float:
    """Return the mean cosine over all pairs of distinct unit vectors."""
    count = len(vectors)
    if count < 2:  # noqa: PLR2004 - a pair
        return 1.0
    length = float(np.linalg.norm(vectors.mean(axis=0, dtype=np.float64)))
    return (count * length**2 - 1) / (count - 1)


def _limit_duplicates(vectors: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the indexes of up to `LEAST` copies of equal vectors, and each representative."""
    _, kind = np.unique(vectors.astype(np.float16), axis=0, return_inverse=True)
    kept: dict[int, list[int]] = {}
    places: list[int] = []
    back = np.empty(len(vectors), dtype=np.int64)
    for place, each in enumerate(kind.ravel().tolist()):
        group = kept.setdefault(each, [])
        if len(group) < LEAST:
            group.append(len(places))
            places.append(place)
            back[place] = group[-1]
        else:
            back[place] = group[0]
    return np.array(places, dtype=np.int64), back


def _meaningful(
    vectors: Floats, labels: Labels, strengths: Floats, *, least: float
) -> tuple[Labels, Floats]:
    """Drop clusters whose mean cosine does not exceed `least`, and renumber the rest."""
    kept = np.full(len(labels), NOISE)
    number = 0
    for label in range(int(labels.max(initial=NOISE)) + 1):
        inside = labels == label
        if mean_cosine(vectors[inside]) > least:
            kept[inside] = number
            number += 1
    return kept, np.where(kept == NOISE, np.float32(0), strengths)
