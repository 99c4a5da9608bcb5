"""Clusters for tests of what is made of them: found in this process, without one of their own."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from reasonloom.nodes.mental_models.basins import membership
from reasonloom.nodes.mental_models.basins.cluster_process import ClusterLabels
from reasonloom.nodes.mental_models.basins.clustering import density_clusters


async def cluster_here(vectors: NDArray[np.float32], *, floor: float, seed: int) -> ClusterLabels:
    """Return what the process answers (test_clustering.py), without loading scikit-learn anew."""
    return ClusterLabels(*density_clusters(vectors, floor=floor, seed=seed))


@pytest.fixture(autouse=True)
def clusters_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the tests of this folder cluster in this process."""
    monkeypatch.setattr(membership, "cluster_in_subprocess", cluster_here)
