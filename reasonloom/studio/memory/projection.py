"""Vectors of many numbers as points of two: their two principal components."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from reasonloom.stores.mental_models.basin_memories import Vectors

FEWEST = 3
"""Points of which a plane says anything."""


class Flat(NamedTuple):
    """Points, a row each, and which shares of how the vectors differ the two axes keep, 0..1."""

    points: Vectors
    kept: tuple[float, float]


def flattened(vectors: Vectors) -> Flat:
    """Return the vectors on their two principal axes (Pearson 1901), in units of length.

    The sign of an axis is arbitrary: its largest weight is made positive, so that the same
    vectors always give the same picture.
    """
    if len(vectors) < FEWEST:
        line = [[float(place), 0.0] for place in range(len(vectors))]
        return Flat(np.array(line, dtype=np.float32).reshape(-1, 2), (0.0, 0.0))
    lengths = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    centred = vectors / lengths
    centred -= centred.mean(axis=0)
    spread, axes = np.linalg.eigh(centred.T @ centred)
    first = axes[:, ::-1][:, :2]
    first = first * np.sign(first[np.abs(first).argmax(axis=0), [0, 1]])
    whole = max(float(spread.sum()), 1e-12)
    kept = (float(spread[-1]) / whole, float(spread[-2]) / whole)
    return Flat((centred @ first).astype(np.float32), kept)
